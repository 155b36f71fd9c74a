# Sourced by scripts that fetch their tools the first time: fetch COMMAND... runs a command that
# needs a network and writes what it says into $fetch_log. Without a network the script ends with
# status 77 and a line that names $fetch_what; anything else that goes wrong is an error.
fetch() {
  "$@" >"$fetch_log" 2>&1 && return
  cat "$fetch_log"
  if grep -q -E 'from versions: none|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT' "$fetch_log"; then
    echo "skipped: the tools of $fetch_what could not be fetched; no network?"
    exit 77
  fi
  exit 1
}
