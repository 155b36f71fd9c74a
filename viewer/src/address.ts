// Words of the page's address: docs/replay.md lists them.

// After ? and #, joined by &.
export function addressWords(): Map<string, string> {
  const words = new Map<string, string>();
  for (const text of [window.location.search.slice(1), window.location.hash.slice(1)])
    for (const [key, value] of new URLSearchParams(text)) words.set(key, value);
  return words;
}

// camera=x,y,z,x,y,z: where it is and what it looks at  [m]
export function cameraOf(words: Map<string, string>): number[] | null {
  const numbers = (words.get('camera') ?? '').split(',').map(Number);
  return numbers.length === 6 && numbers.every(Number.isFinite) ? numbers : null;
}
