// The scene: bodies, geoms and meshes as docs/replay.md describes them, and their names.
import { type ArrayEntry, arrayOf, verticesOf } from './decode';
import type { AppearanceEntry, TextureEntry } from './textures';

export interface BodyEntry {
  name: string | null;
  parent: number;
  track: number; // index among the moving bodies; -1: does not move
  position: number[];
  quaternion: number[]; // w x y z
  mass: number; // [kg]
  centre?: number[]; // [m]  centre of mass, in the body
}

// A joint with a place of its own: no free one.
export interface JointEntry {
  name: string | null;
  body: number;
  kind: 'ball' | 'prismatic' | 'revolute' | 'screw';
  position: number[]; // [m]  in the body
  axis: number[]; // in the body
}

// A number of a frame that has a name.
export interface ChannelEntry {
  name: string;
  kind: 'q' | 'v' | 'tau' | 'load' | 'control' | 'force' | 'sensor' | 'custom';
  unit: string;
}

export type ShapeKind =
  | 'plane'
  | 'sphere'
  | 'capsule'
  | 'ellipsoid'
  | 'cylinder'
  | 'box'
  | 'mesh'
  | 'cloud'
  | 'soft';

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
  appearance: number; // -1: its colour alone
}

export interface SurfaceEntry {
  vertices: ArrayEntry;
  faces: ArrayEntry;
  coordinates?: ArrayEntry | null; // (2 a corner)  of a texture: to the right, up
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

// The surface of a deformable body, and its ropes; or the path of a spatial tendon.
export interface SkinEntry {
  geom: number; // -1: a tendon
  tendon?: number;
  begin: number; // first of its vertices in the skin of a frame
  count: number;
  faces: ArrayEntry;
  segments?: ArrayEntry;
  radius?: number; // [m]  of the segments
}

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
  skins: SkinEntry[];
  joints: JointEntry[];
  channels: ChannelEntry[];
  textures: TextureEntry[];
  appearances: AppearanceEntry[];
}

export interface Surface {
  vertices: Float32Array;
  faces: Uint16Array | Uint32Array;
  coordinates: Float32Array | null; // (2 a corner)  of a texture
}

const readRevision = 5;
const none = new Uint32Array(0);

export class Scene {
  readonly version: string;
  readonly title: string;
  readonly nv: number;
  readonly nu: number;
  readonly bodies: BodyEntry[];
  readonly geoms: GeomEntry[];
  readonly meshes: MeshEntry[];
  readonly clouds: CloudEntry[];
  readonly skins: SkinEntry[];
  readonly joints: JointEntry[];
  readonly channels: ChannelEntry[];
  readonly textures: TextureEntry[];
  readonly appearances: AppearanceEntry[];
  readonly trackCount: number; // bodies that move

  // `stream`: what the array entries of the scene point into.
  static of(entry: unknown, stream: ArrayBuffer): Scene {
    return new Scene(entry as SceneEntry, stream);
  }

  private constructor(
    entry: SceneEntry,
    readonly stream: ArrayBuffer,
  ) {
    if (entry.format !== 'limpet scene') throw new Error('this is no scene of limpet');
    if (entry.revision !== readRevision)
      throw new Error(`this viewer reads revision ${readRevision}, not ${entry.revision}`);
    this.version = entry.version;
    this.title = entry.title;
    this.nv = entry.nv;
    this.nu = entry.nu;
    this.bodies = entry.bodies;
    this.geoms = entry.geoms;
    this.meshes = entry.meshes;
    this.clouds = entry.clouds;
    this.skins = entry.skins;
    this.joints = entry.joints;
    this.channels = entry.channels;
    this.textures = entry.textures;
    this.appearances = entry.appearances;
    this.trackCount = entry.bodies.filter((body) => body.track >= 0).length;
  }

  moves(body: number): boolean {
    return this.bodies[body].track >= 0;
  }

  bodyName(body: number): string {
    return this.bodies[body].name ?? (body === 0 ? 'world' : `body ${body}`);
  }

  geomName(geom: number): string {
    const entry = this.geoms[geom];
    return entry.name ?? `${this.bodyName(entry.body)} (${entry.kind})`;
  }

  surface(entry: SurfaceEntry): Surface {
    const faces = arrayOf(this.stream, entry.faces) as Uint16Array | Uint32Array;
    const coordinates = entry.coordinates
      ? (arrayOf(this.stream, entry.coordinates) as Float32Array)
      : null;
    return { vertices: this.vertices(entry.vertices), faces, coordinates };
  }

  // (3 a triangle)  of the skin's own vertices
  corners(entry: SkinEntry): Uint32Array {
    return arrayOf(this.stream, entry.faces) as Uint32Array;
  }

  // (2 a segment)  of the skin's own vertices
  ends(entry: SkinEntry): Uint32Array {
    return entry.segments ? (arrayOf(this.stream, entry.segments) as Uint32Array) : none;
  }

  vertices(entry: ArrayEntry): Float32Array {
    return verticesOf(this.stream, entry);
  }
}
