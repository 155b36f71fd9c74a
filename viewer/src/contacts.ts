// Contacts of one frame: arrows along the forces, points where they act, and the legend that says how long a newton is.
import {
  ConeGeometry,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  Vector3,
} from 'three';
import { cssColour } from './colours';
import type { Replay, Run } from './data';

export interface ContactStyle {
  force: string;
  normal: string;
  friction: string;
  point: string;
}

// Shafts and heads of many arrows of one colour, drawn faintly through everything and solid where nothing covers them.
class Arrows extends Group {
  private readonly materials: MeshBasicMaterial[] = [];
  private readonly shafts: InstancedMesh[] = [];
  private readonly heads: InstancedMesh[] = [];
  private readonly transform = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly place = new Vector3();
  private readonly size = new Vector3();
  private readonly zAxis = new Vector3(0, 0, 1);
  private readonly direction = new Vector3();
  private used = 0;

  constructor(capacity: number) {
    super();
    const shaft = new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new ConeGeometry(1, 1, 16).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    for (const ghost of [true, false]) {
      const material = new MeshBasicMaterial({ transparent: ghost, opacity: ghost ? 0.3 : 1, depthTest: !ghost, depthWrite: !ghost });
      this.materials.push(material);
      for (const [geometry, list] of [
        [shaft, this.shafts],
        [head, this.heads],
      ] as const) {
        const mesh = new InstancedMesh(geometry, material, Math.max(1, capacity));
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.renderOrder = ghost ? 4 : 2;
        if (list.length > 0) mesh.instanceMatrix = list[0].instanceMatrix;
        list.push(mesh);
        this.add(mesh);
      }
    }
  }

  colour(colour: string): void {
    for (const material of this.materials) material.color.set(colour);
  }

  begin(): void {
    this.used = 0;
  }

  // An arrow of `length` [m] from a point along a vector.
  put(x: number, y: number, z: number, vx: number, vy: number, vz: number, length: number, thickness: number): void {
    this.direction.set(vx, vy, vz).normalize();
    this.turn.setFromUnitVectors(this.zAxis, this.direction);
    const head = Math.min(0.45 * length, 5 * thickness);
    const radius = Math.min(thickness, 0.25 * length);
    this.place.set(x, y, z);
    this.size.set(radius, radius, length - head);
    this.shafts[0].setMatrixAt(this.used, this.transform.compose(this.place, this.turn, this.size));
    this.place.addScaledVector(this.direction, length - head);
    this.size.set(2.4 * radius, 2.4 * radius, head);
    this.heads[0].setMatrixAt(this.used, this.transform.compose(this.place, this.turn, this.size));
    ++this.used;
  }

  end(): void {
    for (const mesh of [...this.shafts, ...this.heads]) mesh.count = this.used;
    this.shafts[0].instanceMatrix.needsUpdate = true;
    this.heads[0].instanceMatrix.needsUpdate = true;
  }
}

// Contacts of one run.
class RunContacts extends Group {
  private readonly whole: Arrows;
  private readonly normals: Arrows;
  private readonly frictions: Arrows;
  private readonly points: Points<BufferGeometry, PointsMaterial>;

  constructor(readonly run: Run, private readonly shortest: number) {
    super();
    const { begin } = run.contacts;
    let capacity = 0;
    for (let f = 0; f < run.frameCount; ++f) capacity = Math.max(capacity, begin[f + 1] - begin[f]);
    this.whole = new Arrows(capacity);
    this.normals = new Arrows(capacity);
    this.frictions = new Arrows(capacity);
    this.points = makePoints(capacity);
    this.add(this.whole, this.normals, this.frictions, this.points);
  }

  // The first run has the colours of the theme, another one its own.
  restyle(style: ContactStyle): void {
    const own = this.run.index > 0 ? cssColour(this.run.colour) : null;
    this.whole.colour(own ?? style.force);
    this.normals.colour(style.normal);
    this.frictions.colour(style.friction);
    this.points.material.color = new Color(own ?? style.point);
  }

  show(frame: number, view: ContactView): void {
    const { begin, position, force, normal } = this.run.contacts;
    const first = begin[frame];
    const count = begin[frame + 1] - first;
    const target = this.points.geometry.getAttribute('position') as BufferAttribute;
    const put = (arrows: Arrows, x: number, y: number, z: number, fx: number, fy: number, fz: number) => {
      const length = Math.hypot(fx, fy, fz) * view.metresPerNewton;
      if (length >= this.shortest) arrows.put(x, y, z, fx, fy, fz, length, view.thickness);
    };
    for (const arrows of [this.whole, this.normals, this.frictions]) arrows.begin();
    for (let i = 0; i < count; ++i) {
      const k = 3 * (first + i);
      const [x, y, z] = [position[k], position[k + 1], position[k + 2]];
      target.setXYZ(i, x, y, z);
      if (!view.splitForces) {
        put(this.whole, x, y, z, force[k], force[k + 1], force[k + 2]);
        continue;
      }
      const [nx, ny, nz] = [normal[k] / 32767, normal[k + 1] / 32767, normal[k + 2] / 32767];
      const along = force[k] * nx + force[k + 1] * ny + force[k + 2] * nz;
      put(this.normals, x, y, z, along * nx, along * ny, along * nz);
      put(this.frictions, x, y, z, force[k] - along * nx, force[k + 1] - along * ny, force[k + 2] - along * nz);
    }
    for (const arrows of [this.whole, this.normals, this.frictions]) {
      arrows.end();
      arrows.visible = view.showForces;
    }
    target.needsUpdate = true;
    this.points.geometry.setDrawRange(0, count);
    this.points.visible = view.showPoints && count > 0;
  }
}

// Contacts of all runs that are shown, at one scale.
export class ContactView extends Group {
  showForces = true;
  showPoints = true;
  splitForces = false;
  metresPerNewton: number;
  thickness: number; // of arrows  [m]
  readonly typicalForce: number; // [N]  exceeded by few contacts only
  private readonly baseScale: number;
  private readonly runs: RunContacts[];

  constructor(replay: Replay, private readonly radius: number) {
    super();
    this.typicalForce = Math.max(...replay.runs.map(typicalForce));
    this.baseScale = this.typicalForce > 0 ? (0.22 * radius) / this.typicalForce : 1;
    this.metresPerNewton = this.baseScale;
    this.thickness = 0.0045 * radius;
    this.runs = replay.runs.map((run) => new RunContacts(run, 2e-3 * radius));
    this.add(...this.runs);
  }

  restyle(style: ContactStyle): void {
    for (const contacts of this.runs) contacts.restyle(style);
  }

  // 1: the automatic length
  setScale(scale: number): void {
    this.metresPerNewton = this.baseScale * scale;
    this.thickness = 0.0045 * this.radius * Math.sqrt(Math.min(2, Math.max(0.5, scale)));
  }

  show(time: number): void {
    for (const contacts of this.runs) {
      contacts.visible = contacts.run.shown;
      if (contacts.visible) contacts.show(contacts.run.nearest(time), this);
    }
  }
}

function typicalForce(run: Run): number {
  const { force } = run.contacts;
  const sizes = [];
  const stride = Math.max(1, Math.floor(force.length / 3 / 20000));
  for (let i = 0; i < force.length / 3; i += stride) sizes.push(Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]));
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 0;
}

function makePoints(capacity: number): Points<BufferGeometry, PointsMaterial> {
  const disc = document.createElement('canvas');
  disc.width = disc.height = 32;
  const context = disc.getContext('2d')!;
  context.fillStyle = '#ffffff';
  context.beginPath();
  context.arc(16, 16, 15, 0, 2 * Math.PI);
  context.fill();
  const material = new PointsMaterial({ size: 7, sizeAttenuation: false, map: new CanvasTexture(disc), transparent: true });
  material.depthTest = false;
  material.alphaTest = 0.5;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * Math.max(1, capacity)), 3));
  const points = new Points(geometry, material);
  points.frustumCulled = false;
  points.renderOrder = 5;
  return points;
}
