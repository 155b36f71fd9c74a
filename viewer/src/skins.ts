// Deformable bodies: their surfaces and ropes where the frames say, in the author's colour or
// coloured by von Mises stress; and spatial tendons, which are ropes without stress.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  type Plane,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
} from 'three';
import type { Replay, Run } from './replay';
import type { SkinEntry } from './scene';
import { valueColour } from './values';

const numbers = 4; // of a vertex in a frame: x, y, z [m], stress [Pa]
const sampledFrames = 60; // are enough to know the usual stress
const tendonColour = [0.62, 0.16, 0.14]; // of sinews
const highShare = 0.98; // of all stresses lie below the end of the bar

class Skin extends Mesh<BufferGeometry, MeshStandardMaterial> {
  hidden = false;
  private readonly own = new Color();
  private readonly shade = new Color();

  constructor(
    replay: Replay,
    readonly entry: SkinEntry,
  ) {
    super(
      new BufferGeometry(),
      new MeshStandardMaterial({ vertexColors: true, roughness: 0.7, metalness: 0 }),
    );
    const [r, g, b] = replay.scene.geoms[entry.geom].rgba;
    this.own.setRGB(r, g, b, SRGBColorSpace);
    for (const name of ['position', 'color']) {
      const attribute = new BufferAttribute(new Float32Array(3 * entry.count), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.geometry.setIndex(new BufferAttribute(new Uint32Array(replay.scene.corners(entry)), 1));
    this.frustumCulled = false;
    this.castShadow = this.receiveShadow = true;
  }

  // most: stress at the end of the bar [Pa]; 0: the author's colour
  show(now: ArrayLike<number>, next: ArrayLike<number>, fraction: number, most: number): void {
    const place = this.geometry.getAttribute('position');
    const colour = this.geometry.getAttribute('color');
    for (let i = 0; i < this.entry.count; ++i) {
      const k = numbers * (this.entry.begin + i);
      const between = (e: number) => now[k + e] + fraction * (next[k + e] - now[k + e]);
      place.setXYZ(i, between(0), between(1), between(2));
      if (most > 0) valueColour(between(3) / most, this.shade);
      else this.shade.copy(this.own);
      colour.setXYZ(i, this.shade.r, this.shade.g, this.shade.b);
    }
    place.needsUpdate = colour.needsUpdate = true;
    this.geometry.computeVertexNormals();
    this.geometry.computeBoundingBox();
  }
}

const along = new Vector3(0, 1, 0); // axis of three's cylinders

// The segments of a rope: round rods with balls where they meet.
class Rope extends Group {
  hidden = false;
  readonly material = new MeshStandardMaterial({ roughness: 0.8, metalness: 0 });
  private readonly rods: InstancedMesh;
  private readonly balls: InstancedMesh;
  private readonly own = new Color();
  private readonly shade = new Color();
  private readonly ends: Uint32Array;
  private readonly radius: number;

  constructor(
    replay: Replay,
    readonly entry: SkinEntry,
  ) {
    super();
    const [r, g, b] = entry.geom < 0 ? tendonColour : replay.scene.geoms[entry.geom].rgba;
    this.own.setRGB(r, g, b, SRGBColorSpace);
    this.ends = replay.scene.ends(entry);
    this.radius = entry.radius ?? 0;
    const rod = new CylinderGeometry(1, 1, 1, 12, 1, true);
    this.rods = new InstancedMesh(rod, this.material, this.ends.length / 2);
    this.balls = new InstancedMesh(new SphereGeometry(1, 12, 8), this.material, this.ends.length);
    for (const mesh of [this.rods, this.balls]) {
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      this.add(mesh);
    }
  }

  // As Skin.show.
  show(now: ArrayLike<number>, next: ArrayLike<number>, fraction: number, most: number): void {
    const ends = [new Vector3(), new Vector3()];
    const way = new Vector3();
    const place = new Matrix4();
    const round = new Vector3().setScalar(this.radius);
    for (let i = 0; i < this.ends.length; ++i) {
      const k = numbers * (this.entry.begin + this.ends[i]);
      const between = (e: number) => now[k + e] + fraction * (next[k + e] - now[k + e]);
      const end = ends[i % 2].set(between(0), between(1), between(2));
      if (most > 0 && this.entry.geom >= 0) valueColour(between(3) / most, this.shade);
      else this.shade.copy(this.own);
      this.balls.setMatrixAt(i, place.makeScale(round.x, round.y, round.z).setPosition(end));
      this.balls.setColorAt(i, this.shade);
      if (i % 2 === 0) continue;
      const length = way.subVectors(ends[1], ends[0]).length();
      const turn = new Quaternion().setFromUnitVectors(along, way.divideScalar(length || 1));
      const middle = ends[0].lerp(ends[1], 0.5);
      const size = new Vector3(this.radius, length, this.radius);
      this.rods.setMatrixAt((i - 1) / 2, place.compose(middle, turn, size));
      this.rods.setColorAt((i - 1) / 2, this.shade);
    }
    for (const mesh of [this.rods, this.balls]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
      mesh.computeBoundingBox();
    }
  }
}

export class Skins extends Group {
  byStress = false;
  tendonsShown = true;
  private readonly skins: (Skin | Rope)[][]; // (runs x bodies, ropes after them)
  private usual = -1; // [Pa]  not known yet

  constructor(private readonly replay: Replay) {
    super();
    this.skins = replay.runs.map(() =>
      replay.scene.skins.flatMap((entry) => {
        const parts: (Skin | Rope)[] = [];
        if (replay.scene.corners(entry).length > 0) parts.push(new Skin(replay, entry));
        if (replay.scene.ends(entry).length > 0) parts.push(new Rope(replay, entry));
        for (const part of parts) this.add(part);
        return parts;
      }),
    );
  }

  // The planes that cut all bodies; may change.
  clip(planes: Plane[]): void {
    for (const skin of this.skins.flat()) skin.material.clippingPlanes = planes;
  }

  hide(hidden: (geom: number) => boolean): void {
    for (const skin of this.skins.flat())
      skin.hidden = skin.entry.geom >= 0 && hidden(skin.entry.geom);
  }

  // Of deformable bodies and tendons.
  get count(): number {
    return this.replay.scene.skins.length;
  }

  get hasBodies(): boolean {
    return this.replay.scene.skins.some((entry) => entry.geom >= 0);
  }

  get hasTendons(): boolean {
    return this.replay.scene.skins.some((entry) => entry.geom < 0);
  }

  // Stress at the end of the bar  [Pa].
  get most(): number {
    if (this.usual < 0) this.usual = this.usualStress();
    return this.usual;
  }

  // After frames have come.
  grow(): void {
    this.usual = -1;
  }

  show(time: number): void {
    if (this.count === 0) return;
    const most = this.byStress ? this.most : 0;
    for (const run of this.replay.runs) {
      const { frame, fraction } = run.locate(time);
      const now = run.frames.frame(frame).skin;
      const next = run.frames.frame(Math.min(frame + 1, run.frameCount - 1)).skin;
      for (const skin of this.skins[run.index]) {
        skin.visible =
          run.shown && !skin.hidden && (this.tendonsShown || skin.entry.geom >= 0);
        skin.show(now, next, fraction, most);
      }
    }
  }

  private usualStress(): number {
    const found: number[] = [];
    const bodies = this.replay.scene.skins.filter((entry) => entry.geom >= 0);
    const count = Math.max(0, ...bodies.map((entry) => entry.begin + entry.count));
    for (const run of this.replay.runs) stressesOf(run, count, found);
    found.sort((a, b) => a - b);
    return found.length > 0 ? found[Math.floor(highShare * (found.length - 1))] : 0;
  }
}

// count: vertices of deformable bodies, which come before those of tendons
function stressesOf(run: Run, count: number, found: number[]): void {
  const stride = Math.max(1, Math.floor(run.frameCount / sampledFrames));
  for (let f = 0; f < run.frameCount; f += stride) {
    const { skin } = run.frames.frame(f);
    for (let i = numbers - 1; i < numbers * count; i += numbers) found.push(skin[i]);
  }
}
