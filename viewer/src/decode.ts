// Binary arrays of a stream, and the JSON entries that say where they lie: docs/replay.md.

export interface ArrayEntry {
  type: 'f8' | 'f4' | 'u4' | 'u2' | 'i2' | 'u1';
  offset: number; // [bytes]
  count: number; // elements
  low?: number[]; // of quantised vertices
  high?: number[];
}

export type NumberArray =
  | Float64Array
  | Float32Array
  | Uint32Array
  | Uint16Array
  | Int16Array
  | Uint8Array;

export function decodeBase64(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

// A view of the stream, not a copy.
export function arrayOf(stream: ArrayBuffer, entry: ArrayEntry): NumberArray {
  switch (entry.type) {
    case 'f8':
      return new Float64Array(stream, entry.offset, entry.count);
    case 'f4':
      return new Float32Array(stream, entry.offset, entry.count);
    case 'u4':
      return new Uint32Array(stream, entry.offset, entry.count);
    case 'u2':
      return new Uint16Array(stream, entry.offset, entry.count);
    case 'u1':
      return new Uint8Array(stream, entry.offset, entry.count);
    case 'i2':
      return new Int16Array(stream, entry.offset, entry.count);
  }
}

// Vertices or points that are written as integers between the corners of their box  [m].
export function verticesOf(stream: ArrayBuffer, entry: ArrayEntry): Float32Array {
  const codes = arrayOf(stream, entry);
  const low = entry.low!;
  const high = entry.high!;
  const vertices = new Float32Array(codes.length);
  for (let i = 0; i < codes.length; ++i) {
    const k = i % 3;
    vertices[i] = low[k] + ((high[k] - low[k]) * codes[i]) / 65535;
  }
  return vertices;
}
