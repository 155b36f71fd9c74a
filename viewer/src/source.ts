// Where frames come from: data in the page, or a simulation that runs. What shows them does not
// know which.
import type { Scene } from './scene';

export const signalNames = [
  'penetration',
  'force',
  'iterations',
  'step_time',
  'contacts',
  'friction_departure',
  'overlap_made',
  'energy_rise',
  'surface_error',
  'kinetic_energy',
  'potential_energy',
  'contact_energy',
] as const;
export type SignalName = (typeof signalNames)[number];

export interface FrameContacts {
  count: number;
  leftOut: number; // weaker ones that are not here
  position: ArrayLike<number>; // (count x 3)  [m]
  force: ArrayLike<number>; // (count x 3)  [N]  on B
  normal: ArrayLike<number>; // (count x 3)  from A to B, times 32767
  area: ArrayLike<number>; // (count)  [m^2]  of a contact surface; 0: a point of two shapes
  gap: ArrayLike<number>; // (count)  [m]  negative inside
  slip: ArrayLike<number>; // (count)  [m/s]  of B over A along the surface
  friction: ArrayLike<number>; // (count)  [-]
  geom: ArrayLike<number>; // (count x 2)  A, B
}

// Contact surfaces: polygons with a pressure at each corner.
export interface FramePatches {
  sizes: ArrayLike<number>; // (polygons)  corners of each
  corners: ArrayLike<number>; // (corners x 4)  [m], [Pa]
}

// What one picture needs.
export interface Frame {
  time: number; // [s]
  outcome: string; // how the worst step since the frame before ended; 'solved', mostly
  position: ArrayLike<number>; // (tracks x 3)  [m]
  quaternion: ArrayLike<number>; // (tracks x 4)  w x y z, of any length
  skin: ArrayLike<number>; // (vertices of skins x 4)  [m] and von Mises stress [Pa]
  contacts: FrameContacts;
  patches?: FramePatches; // none: not known
}

// The frames of one run that are there so far.
export interface RunFrames {
  readonly name: string; // among other runs; '': its contact model says it
  readonly scheme: string;
  readonly contactModel: string;
  readonly timeStep: number; // [s]  0: not known
  readonly time: ArrayLike<number>; // (frames)  [s]  rising
  frame(index: number): Frame;
  signal(name: SignalName): ArrayLike<number>; // (frames)  not-a-number: not known
  channel(index: number): ArrayLike<number>; // (frames)  of the scene's channels
}

export interface FrameSource {
  readonly scene: Scene;
  readonly runs: readonly RunFrames[]; // at least one, each with at least one frame
  readonly live: boolean; // more frames may come
  // Calls `grown` after frames have come, until what it returns is called.
  subscribe(grown: () => void): () => void;
}
