// Deformable bodies: their surfaces where the frames say, in the author's colour or coloured by
// von Mises stress.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshStandardMaterial,
  type Plane,
  SRGBColorSpace,
} from 'three';
import type { Replay, Run } from './replay';
import type { SkinEntry } from './scene';
import { valueColour } from './values';

const numbers = 4; // of a vertex in a frame: x, y, z [m], stress [Pa]
const sampledFrames = 60; // are enough to know the usual stress
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

export class Skins extends Group {
  byStress = false;
  private readonly skins: Skin[][]; // (runs x bodies)
  private usual = -1; // [Pa]  not known yet

  constructor(private readonly replay: Replay) {
    super();
    this.skins = replay.runs.map(() =>
      replay.scene.skins.map((entry) => {
        const skin = new Skin(replay, entry);
        this.add(skin);
        return skin;
      }),
    );
  }

  // The planes that cut all bodies; may change.
  clip(planes: Plane[]): void {
    for (const skin of this.skins.flat()) skin.material.clippingPlanes = planes;
  }

  hide(hidden: (geom: number) => boolean): void {
    for (const skin of this.skins.flat()) skin.hidden = hidden(skin.entry.geom);
  }

  get count(): number {
    return this.replay.scene.skins.length;
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
        skin.visible = run.shown && !skin.hidden;
        skin.show(now, next, fraction, most);
      }
    }
  }

  private usualStress(): number {
    const found: number[] = [];
    for (const run of this.replay.runs) stressesOf(run, found);
    found.sort((a, b) => a - b);
    return found.length > 0 ? found[Math.floor(highShare * (found.length - 1))] : 0;
  }
}

function stressesOf(run: Run, found: number[]): void {
  const stride = Math.max(1, Math.floor(run.frameCount / sampledFrames));
  for (let f = 0; f < run.frameCount; f += stride) {
    const { skin } = run.frames.frame(f);
    for (let i = numbers - 1; i < skin.length; i += numbers) found.push(skin[i]);
  }
}
