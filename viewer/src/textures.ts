// Textures of a scene: patterns that are drawn here, and images that the page carries. Flat ones
// lie across x and y of a shape, cubes and skies around it; docs/replay.md has their entries.
import {
  CanvasTexture,
  CubeTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  RepeatWrapping,
  SRGBColorSpace,
  type Texture,
} from 'three';
import { type ArrayEntry, arrayOf } from './decode';

export interface TextureEntry {
  kind: '2d' | 'cube' | 'sky';
  pattern: 'image' | 'gradient' | 'checker' | 'flat';
  mark: 'none' | 'edge' | 'cross' | 'random';
  rgb1: number[];
  rgb2: number[];
  markrgb: number[];
  random: number; // share of pixels that are dots
  width: number; // pixels of a pattern; 0: as many as it needs
  height: number;
  images: (ArrayEntry | null)[]; // one, or one a face: right, left, up, down, front, back
  grid: [number, number]; // rows and columns of an image that holds several faces
  layout: string; // which face is where
  flip: [boolean, boolean]; // left and right, up and down
}

export interface AppearanceEntry {
  texture: number; // -1: none
  repeat: [number, number];
  uniform: boolean;
  emission: number;
  specular: number;
  shininess: number;
  reflectance: number;
  metallic: number; // negative: not said, as roughness
  roughness: number;
}

const faceCount = 6;
const patternSize = 128; // pixels, where nothing is said
const largestPattern = 1024;
const [up, down] = [2, 3]; // faces
const faceLetters = 'RLUDFB';

type Painter = (context: CanvasRenderingContext2D, width: number, height: number) => void;

function colourWord(rgb: number[]): string {
  return `rgb(${rgb.map((value) => Math.round(255 * Math.min(1, Math.max(0, value)))).join()})`;
}

function painted(width: number, height: number, paint: Painter): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  paint(canvas.getContext('2d')!, width, height);
  return canvas;
}

// From rgb1 to rgb2 along a sigmoid of a number from 1 to -1 that each pixel has.
function gradient({ rgb1, rgb2 }: TextureEntry, height: (x: number, y: number) => number): Painter {
  return (context, width, rows) => {
    const data = context.createImageData(width, rows);
    for (let row = 0; row < rows; ++row)
      for (let column = 0; column < width; ++column) {
        const x = (2 * (column + 0.5)) / width - 1;
        const y = 1 - (2 * (row + 0.5)) / rows;
        const share = 1 / (1 + Math.exp(-4 * height(x, y)));
        const at = 4 * (row * width + column);
        for (let k = 0; k < 3; ++k)
          data.data[at + k] = 255 * (share * rgb1[k] + (1 - share) * rgb2[k]);
        data.data[at + 3] = 255;
      }
    context.putImageData(data, 0, 0);
  };
}

// What a face sees: its middle is at the horizon, but for those above and below.
function elevation(face: number): (x: number, y: number) => number {
  const quarter = Math.PI / 2;
  if (face === up) return (x, y) => 1 - Math.atan(Math.hypot(x, y)) / quarter;
  if (face === down) return (x, y) => Math.atan(Math.hypot(x, y)) / quarter - 1;
  return (x, y) => Math.atan2(y, Math.hypot(1, x)) / quarter;
}

function pattern(entry: TextureEntry, face: number): Painter {
  const [first, second] = [colourWord(entry.rgb1), colourWord(entry.rgb2)];
  const flat = entry.kind === '2d';
  if (entry.pattern === 'gradient')
    return gradient(entry, flat ? (x, y) => 1 - 2 * Math.hypot(x, y) : elevation(face));
  return (context, width, height) => {
    const checker = entry.pattern === 'checker';
    context.fillStyle = !checker && face === down && !flat ? second : first;
    context.fillRect(0, 0, width, height);
    if (!checker) return;
    context.fillStyle = second;
    context.fillRect(width / 2, 0, width / 2, height / 2);
    context.fillRect(0, height / 2, width / 2, height / 2);
  };
}

// The same dots in every picture.
function dots(context: CanvasRenderingContext2D, width: number, height: number, share: number) {
  let state = 1;
  for (let i = 0; i < width * height; ++i) {
    state = (1103515245 * state + 12345) % 2147483648;
    if (state / 2147483648 < share) context.fillRect(i % width, Math.floor(i / width), 1, 1);
  }
}

function mark({ mark: kind, markrgb, random }: TextureEntry): Painter {
  return (context, width, height) => {
    context.fillStyle = colourWord(markrgb);
    if (kind === 'edge')
      for (const [x, y, w, h] of [
        [0, 0, width, 1],
        [0, height - 1, width, 1],
        [0, 0, 1, height],
        [width - 1, 0, 1, height],
      ])
        context.fillRect(x, y, w, h);
    if (kind === 'cross') {
      context.fillRect(0, height / 2, width, 1);
      context.fillRect(width / 2, 0, 1, height);
    }
    if (kind === 'random') dots(context, width, height, random);
  };
}

function patternFace(entry: TextureEntry, face: number): HTMLCanvasElement {
  const size = (given: number) => Math.min(largestPattern, given > 0 ? given : patternSize);
  const width = size(entry.width);
  const height = entry.kind === '2d' ? size(entry.height) : width;
  return painted(width, height, (context) => {
    pattern(entry, face)(context, width, height);
    mark(entry)(context, width, height);
  });
}

// Part of an image, turned over as the entry wants, in so many pixels.
function cut(
  image: ImageBitmap,
  entry: TextureEntry,
  [row, column]: [number, number],
  [width, height]: [number, number],
): HTMLCanvasElement {
  const [rows, columns] = entry.grid;
  const [w, h] = [image.width / columns, image.height / rows];
  return painted(width, height, (context) => {
    const [left, top] = entry.flip;
    context.translate(left ? width : 0, top ? height : 0);
    context.scale(left ? -1 : 1, top ? -1 : 1);
    context.drawImage(image, column * w, row * h, w, h, 0, 0, width, height);
  });
}

// Which part of the only image a face is; none: the whole of it where there is one part.
function gridPlace({ grid, layout }: TextureEntry, face: number): [number, number] | null {
  if (grid[0] * grid[1] === 1) return [0, 0];
  const at = layout.indexOf(faceLetters[face]);
  return at < 0 ? null : [Math.floor(at / grid[1]), at % grid[1]];
}

// What has no image, in the first colour.
function plain({ rgb1 }: TextureEntry, [width, height]: [number, number]): HTMLCanvasElement {
  return painted(width, height, (context) => {
    context.fillStyle = colourWord(rgb1);
    context.fillRect(0, 0, width, height);
  });
}

export class Textures {
  readonly loaded: Promise<void>; // when all images are there
  readonly sky: number; // index of the one around the world; -1: none
  private readonly textures: (Texture | CubeTexture)[];

  constructor(
    private readonly entries: TextureEntry[],
    private readonly stream: ArrayBuffer,
  ) {
    this.sky = entries.findIndex(({ kind }) => kind === 'sky');
    const waiting: Promise<void>[] = [];
    this.textures = entries.map((entry) => this.make(entry, waiting));
    this.loaded = Promise.all(waiting).then(() => {});
  }

  get count(): number {
    return this.entries.length;
  }

  isFlat(index: number): boolean {
    return this.entries[index].kind === '2d';
  }

  // Whether it is a picture that lies across x and y.
  isPicture(index: number): boolean {
    return this.isFlat(index) && this.entries[index].pattern === 'image';
  }

  get(index: number): Texture | CubeTexture {
    return this.textures[index];
  }

  private make(entry: TextureEntry, waiting: Promise<void>[]): Texture | CubeTexture {
    const image = entry.pattern === 'image';
    const faces = entry.kind === '2d' ? 1 : faceCount;
    const canvases = Array.from({ length: faces }, (_value, face) =>
      image ? plain(entry, [1, 1]) : patternFace(entry, face),
    );
    const texture = faces === 1 ? new CanvasTexture(canvases[0]) : new CubeTexture(canvases);
    texture.colorSpace = SRGBColorSpace;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.magFilter = LinearFilter;
    texture.generateMipmaps = true;
    texture.anisotropy = 8;
    texture.needsUpdate = true;
    if (faces === 1) texture.wrapS = texture.wrapT = RepeatWrapping;
    if (image) waiting.push(this.load(entry, texture, faces));
    return texture;
  }

  private async load(entry: TextureEntry, texture: Texture, faces: number): Promise<void> {
    const bitmaps = await Promise.all(entry.images.map((image) => this.decode(image)));
    const whole = bitmaps.filter(Boolean).length === 1 ? bitmaps.find(Boolean)! : null;
    const first = bitmaps.find(Boolean);
    if (!first) return;
    // the faces of a cube are squares of one size
    const [rows, columns] = entry.grid;
    const width = Math.ceil(first.width / columns);
    const size: [number, number] = [width, faces === 1 ? Math.ceil(first.height / rows) : width];
    const canvases = Array.from({ length: faces }, (_value, face) => {
      const place = whole ? gridPlace(entry, face) : ([0, 0] as [number, number]);
      const bitmap = whole ?? bitmaps[face];
      return bitmap && place ? cut(bitmap, entry, place, size) : plain(entry, size);
    });
    texture.dispose(); // its size changes
    texture.image = faces === 1 ? canvases[0] : canvases;
    texture.needsUpdate = true;
  }

  // null: none, or one that this browser cannot read
  private async decode(entry: ArrayEntry | null): Promise<ImageBitmap | null> {
    if (!entry) return null;
    const bytes = arrayOf(this.stream, entry) as Uint8Array<ArrayBuffer>;
    return createImageBitmap(new Blob([bytes])).catch(() => null);
  }
}
