"""Rows that a long study has made so far: one line of JSON each, in a file. A study that was killed
makes only those that are missing.

    rows = Rows(study.out / "rows.jsonl")
    if not rows.has("grasp 7", key): rows.add("grasp 7", key, {...})

A row counts only while its key is the same: `key_of` digests all that it depends on.
"""

import hashlib
import json
import os


def key_of(*parts):
    """Digest of texts, and of the contents of files given as paths."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part.read_bytes()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


class Rows:
    """The rows of a file by name."""

    def __init__(self, path):
        self.path, self.kept = path, {}
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue  # the line that was being written when the study was killed
            self.kept[row["name"]] = row

    def has(self, name, key):
        return name in self.kept and self.kept[name]["key"] == key

    def row(self, name):
        return self.kept[name]["row"]

    def add(self, name, key, row):
        """Writes the row through to the disk."""
        self.kept[name] = {"name": name, "key": key, "row": row}
        with self.path.open("a+") as file:
            file.seek(0, os.SEEK_END)
            torn = file.tell() > 0 and not self._ends_line()
            file.write("\n" * torn + json.dumps(self.kept[name]) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _ends_line(self):
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
