// What a replay page carries, decoded: docs/replay.md describes the JSON.

export interface ArrayEntry {
  type: 'f8' | 'f4' | 'u4' | 'u2' | 'i2';
  offset: number; // [bytes]
  count: number; // elements
  low?: number[]; // of quantised vertices
  high?: number[];
}

export interface BodyEntry {
  name: string | null;
  parent: number;
  track: number; // index among the moving bodies; -1: does not move
  position: number[];
  quaternion: number[]; // w x y z
}

export type ShapeKind = 'plane' | 'sphere' | 'capsule' | 'ellipsoid' | 'cylinder' | 'box' | 'mesh' | 'cloud';

export interface GeomEntry {
  name: string | null;
  body: number;
  kind: ShapeKind;
  size: number[];
  mesh: number;
  cloud: number;
  position: number[];
  quaternion: number[];
  rgba: number[];
  group: number;
  collides: boolean;
}

export interface SurfaceEntry {
  vertices: ArrayEntry;
  faces: ArrayEntry;
}

export interface MeshEntry {
  name: string | null;
  visual: SurfaceEntry | null;
  hull: SurfaceEntry | null;
}

export interface CloudEntry {
  name: string | null;
  radius: number; // [m]  of the balls around the points; 0: none
  points: ArrayEntry;
}

export const seriesNames = [
  'penetration',
  'force',
  'iterations',
  'step_time',
  'contacts',
  'kinetic_energy',
  'potential_energy',
  'contact_energy',
] as const;
export type SeriesName = (typeof seriesNames)[number];

interface SceneEntry {
  format: string;
  revision: number;
  version: string;
  title: string;
  nv: number;
  nu: number;
  gravity: number[];
  bodies: BodyEntry[];
  geoms: GeomEntry[];
  meshes: MeshEntry[];
  clouds: CloudEntry[];
}

interface RunEntry {
  scheme: string;
  contact_model: string;
  time_step: number; // [s]  0: not known
  frames: {
    count: number;
    time: ArrayEntry;
    position: ArrayEntry;
    quaternion: ArrayEntry;
    contacts: Record<'begin' | 'left_out' | 'position' | 'force' | 'normal' | 'geom', ArrayEntry>;
    signals: Record<SeriesName, ArrayEntry>;
  };
}

export interface Contacts {
  begin: Uint32Array; // (frames + 1)
  leftOut: Uint32Array; // (frames)
  position: Float32Array; // (contacts x 3)  [m]
  force: Float32Array; // (contacts x 3)  [N]  on B
  normal: Int16Array; // (contacts x 3)  from A to B, times 32767
  geom: Uint32Array; // (contacts x 2)
}

export interface Surface {
  vertices: Float32Array;
  faces: Uint16Array | Uint32Array;
}

function decodeBase64(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

type ReadArray = (entry: ArrayEntry) => Float64Array | Float32Array | Uint32Array | Uint16Array | Int16Array;

// One run: its frames, with poses of all moving bodies, contacts and plotted series.
export class Run {
  shown = true;
  readonly frameCount: number;
  readonly time: Float64Array;
  readonly position: Float32Array; // (frames x tracks x 3)
  readonly quaternion: Int16Array; // (frames x tracks x 4)
  readonly contacts: Contacts;
  readonly series: Record<SeriesName, Float32Array>;

  constructor(readonly index: number, readonly name: string, readonly entry: RunEntry, array: ReadArray) {
    const frames = entry.frames;
    this.frameCount = frames.count;
    this.time = array(frames.time) as Float64Array;
    this.position = array(frames.position) as Float32Array;
    this.quaternion = array(frames.quaternion) as Int16Array;
    this.contacts = {
      begin: array(frames.contacts.begin) as Uint32Array,
      leftOut: array(frames.contacts.left_out) as Uint32Array,
      position: array(frames.contacts.position) as Float32Array,
      force: array(frames.contacts.force) as Float32Array,
      normal: array(frames.contacts.normal) as Int16Array,
      geom: array(frames.contacts.geom) as Uint32Array,
    };
    this.series = Object.fromEntries(seriesNames.map((name) => [name, array(frames.signals[name])])) as Record<
      SeriesName,
      Float32Array
    >;
  }

  // CSS variable of the colour that its curves have and, but for the first run, its bodies
  get colour(): string {
    return `--run-${this.index === 0 ? 0 : 1 + ((this.index - 1) % 5)}`;
  }

  get start(): number {
    return this.time[0];
  }

  get end(): number {
    return this.time[this.frameCount - 1];
  }

  // The last frame that is not after `time`, and how far `time` lies between it and the next one, 0 to 1.
  locate(time: number): { frame: number; fraction: number } {
    let low = 0;
    let high = this.frameCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    if (low + 1 >= this.frameCount) return { frame: low, fraction: 0 };
    const span = this.time[low + 1] - this.time[low];
    const fraction = span > 0 ? (time - this.time[low]) / span : 0;
    return { frame: low, fraction: Math.min(1, Math.max(0, fraction)) };
  }

  // Index of the frame whose contacts and series belong to `time`: the nearest one.
  nearest(time: number): number {
    const { frame, fraction } = this.locate(time);
    return fraction > 0.5 ? frame + 1 : frame;
  }
}

// One scene and its runs: mostly one, several where methods are compared.
export class Replay {
  readonly scene: SceneEntry;
  readonly runs: Run[];
  readonly timeline: Run; // the run that lasts longest: its frames are those of the clock and the plots
  readonly trackCount: number;
  private readonly runEntries: RunEntry[];
  private readonly stream: ArrayBuffer;

  constructor(sceneText: string, runsText: string, streamText: string) {
    this.scene = JSON.parse(sceneText) as SceneEntry;
    if (this.scene.format !== 'limpet scene') throw new Error('this page carries no limpet replay');
    this.runEntries = JSON.parse(runsText) as RunEntry[];
    this.stream = decodeBase64(streamText);
    this.trackCount = this.scene.bodies.filter((body) => body.track >= 0).length;
    this.runs = this.runEntries.map((entry, index) => new Run(index, this.runName(index), entry, (array) => this.array(array)));
    this.timeline = this.runs.reduce((longest, run) => (run.end > longest.end ? run : longest));
  }

  // Its contact model, with the scheme where another run has the same model.
  private runName(index: number): string {
    const { scheme, contact_model: model } = this.runEntries[index];
    const alone = this.runEntries.filter((run) => run.contact_model === model).length === 1;
    return !model ? `run ${index + 1}` : alone ? model : `${scheme}/${model}`;
  }

  get start(): number {
    return this.timeline.start;
  }

  get end(): number {
    return this.timeline.end;
  }

  // The run that single things (selection, names) are taken from: the first that is shown.
  get front(): Run {
    return this.runs.find((run) => run.shown) ?? this.runs[0];
  }

  bodyName(body: number): string {
    return this.scene.bodies[body].name ?? (body === 0 ? 'world' : `body ${body}`);
  }

  geomName(geom: number): string {
    const entry = this.scene.geoms[geom];
    return entry.name ?? `${this.bodyName(entry.body)} (${entry.kind})`;
  }

  surface(entry: SurfaceEntry): Surface {
    return { vertices: this.vertices(entry.vertices), faces: this.array(entry.faces) as Uint16Array | Uint32Array };
  }

  // Vertices or points that are written as integers between the corners of their box  [m].
  vertices(entry: ArrayEntry): Float32Array {
    const codes = this.array(entry) as Uint16Array;
    const low = entry.low!;
    const high = entry.high!;
    const vertices = new Float32Array(codes.length);
    for (let i = 0; i < codes.length; ++i) {
      const k = i % 3;
      vertices[i] = low[k] + ((high[k] - low[k]) * codes[i]) / 65535;
    }
    return vertices;
  }

  private array(entry: ArrayEntry): ReturnType<ReadArray> {
    switch (entry.type) {
      case 'f8':
        return new Float64Array(this.stream, entry.offset, entry.count);
      case 'f4':
        return new Float32Array(this.stream, entry.offset, entry.count);
      case 'u4':
        return new Uint32Array(this.stream, entry.offset, entry.count);
      case 'u2':
        return new Uint16Array(this.stream, entry.offset, entry.count);
      case 'i2':
        return new Int16Array(this.stream, entry.offset, entry.count);
    }
  }
}
