// Pressure on contact surfaces: their polygons, coloured by the pressure at the corners, or, where
// there are none, a disc as large as the area of each point; and the bar that says what the colours
// mean. They are drawn over the bodies, as if these were glass.
import {
  CircleGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from 'three';
import type { Replay, Run } from './replay';
import type { Frame, FramePatches } from './source';
import { ValueMesh, valueColour } from './values';

const sampledFrames = 2000; // are enough to know the usual pressure
const highShare = 0.98; // of all pressures lie below the end of the bar

// Normal force over area of contact i [Pa]; 0 where it is no point of a surface.
export function pressureOf(contacts: Frame['contacts'], i: number): number {
  const { area, force, normal } = contacts;
  if (!(area[i] > 0)) return 0;
  const k = 3 * i;
  const along =
    (force[k] * normal[k] + force[k + 1] * normal[k + 1] + force[k + 2] * normal[k + 2]) / 32767;
  return Math.abs(along) / area[i];
}

class Discs extends InstancedMesh<CircleGeometry, MeshBasicMaterial> {
  private readonly transform = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly place = new Vector3();
  private readonly size = new Vector3();
  private readonly zAxis = new Vector3(0, 0, 1);
  private readonly direction = new Vector3();
  private readonly shade = new Color();

  constructor(private room: number) {
    super(
      new CircleGeometry(1, 20),
      new MeshBasicMaterial({
        side: DoubleSide,
        depthTest: false,
        transparent: true,
        opacity: 0.85,
      }),
      room,
    );
    this.frustumCulled = false;
    this.renderOrder = 3;
    this.widen(room);
  }

  private widen(room: number): void {
    this.room = room;
    this.instanceMatrix = new InstancedBufferAttribute(new Float32Array(16 * room), 16);
    this.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * room), 3);
    this.instanceMatrix.setUsage(DynamicDrawUsage);
  }

  show(contacts: Frame['contacts'], most: number): void {
    if (contacts.count > this.room) this.widen(2 * contacts.count);
    let used = 0;
    for (let i = 0; i < contacts.count; ++i) {
      const pressure = pressureOf(contacts, i);
      if (!(pressure > 0)) continue;
      const k = 3 * i;
      this.direction.set(contacts.normal[k], contacts.normal[k + 1], contacts.normal[k + 2]);
      this.turn.setFromUnitVectors(this.zAxis, this.direction.normalize());
      this.place.set(contacts.position[k], contacts.position[k + 1], contacts.position[k + 2]);
      const radius = Math.sqrt(contacts.area[i] / Math.PI);
      this.size.set(radius, radius, radius);
      this.setMatrixAt(used, this.transform.compose(this.place, this.turn, this.size));
      this.setColorAt(used, valueColour(pressure / most, this.shade));
      ++used;
    }
    this.count = used;
    this.instanceMatrix.needsUpdate = true;
    if (this.instanceColor) this.instanceColor.needsUpdate = true;
  }
}

// The polygons of a frame, as fans of triangles.
class Polygons extends ValueMesh {
  private positions = new Float32Array(0);
  private pressures = new Float32Array(0);
  private triangles = new Uint32Array(0);

  constructor() {
    super(true);
  }

  draw({ sizes, corners }: FramePatches, most: number): void {
    const count = corners.length / 4;
    if (count > this.pressures.length) {
      this.positions = new Float32Array(6 * count);
      this.pressures = new Float32Array(2 * count);
      this.triangles = new Uint32Array(6 * count);
    }
    for (let i = 0; i < count; ++i) {
      for (let k = 0; k < 3; ++k) this.positions[3 * i + k] = corners[4 * i + k];
      this.pressures[i] = corners[4 * i + 3];
    }
    let used = 0;
    for (let polygon = 0, first = 0; polygon < sizes.length; first += sizes[polygon++])
      for (let k = 2; k < sizes[polygon]; ++k, ++used)
        this.triangles.set([first, first + k - 1, first + k], 3 * used);
    this.set(this.positions, this.pressures, count, this.triangles, used, most);
  }
}

// Pressures of all runs that are shown, on one bar.
export class PressureView extends Group {
  shown = true;
  most = 0; // [Pa]  end of the bar; 0: no run has surfaces
  private measured = 0; // frames that the bar was found from
  private readonly discs: Discs[];
  private readonly polygons: Polygons[];

  constructor(private readonly replay: Replay) {
    super();
    this.discs = replay.runs.map(() => new Discs(64));
    this.polygons = replay.runs.map(() => new Polygons());
    this.add(...this.discs, ...this.polygons);
    this.grow();
  }

  // After frames have come: the bar changes only when there are twice as many.
  grow(): void {
    const frames = this.replay.timeline.frameCount;
    if (frames < 2 * this.measured) return;
    this.measured = frames;
    this.most = Math.max(...this.replay.runs.map(highPressure));
  }

  show(time: number): void {
    this.replay.runs.forEach((run, i) => {
      const frame = run.at(time);
      const visible = this.shown && run.shown && this.most > 0;
      this.polygons[i].visible = visible && (frame.patches?.sizes.length ?? 0) > 0;
      this.discs[i].visible = visible && !this.polygons[i].visible;
      if (this.polygons[i].visible) this.polygons[i].draw(frame.patches!, this.most);
      if (this.discs[i].visible) this.discs[i].show(frame.contacts, this.most);
    });
  }
}

function highPressure(run: Run): number {
  const pressures: number[] = [];
  const stride = Math.max(1, Math.floor(run.frameCount / sampledFrames));
  for (let f = 0; f < run.frameCount; f += stride) {
    const { contacts } = run.frames.frame(f);
    for (let i = 0; i < contacts.count; ++i) {
      const pressure = pressureOf(contacts, i);
      if (pressure > 0) pressures.push(pressure);
    }
  }
  pressures.sort((a, b) => a - b);
  return pressures.length > 0 ? pressures[Math.floor(highShare * (pressures.length - 1))] : 0;
}
