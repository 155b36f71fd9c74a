// Contacts of one frame: arrows along the forces, points where they act, and the legend that says
// how long a newton is.
import {
  ConeGeometry,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  Vector3,
} from 'three';
import { cssColour } from './colours';
import { coneUse } from './cone';
import { UsualForce } from './forces';
import type { Replay, Run } from './replay';
import type { Frame } from './source';

export interface ContactStyle {
  force: string;
  normal: string;
  friction: string;
  point: string;
}

// Shafts and heads of many arrows of one colour, drawn faintly through everything and solid where
// nothing covers them.
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
  private capacity = 0;

  constructor() {
    super();
    // few triangles: there may be thousands of arrows
    const shaft = new CylinderGeometry(1, 1, 1, 8, 1, true)
      .translate(0, 0.5, 0)
      .rotateX(Math.PI / 2);
    const head = new ConeGeometry(1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    for (const ghost of [true, false]) {
      const material = new MeshBasicMaterial({
        transparent: ghost,
        opacity: ghost ? 0.3 : 1,
        depthTest: !ghost,
        depthWrite: !ghost,
      });
      this.materials.push(material);
      for (const [geometry, list] of [
        [shaft, this.shafts],
        [head, this.heads],
      ] as const) {
        const mesh = new InstancedMesh(geometry, material, this.capacity);
        mesh.frustumCulled = false;
        mesh.renderOrder = ghost ? 4 : 2;
        list.push(mesh);
        this.add(mesh);
      }
    }
  }

  colour(colour: string): void {
    for (const material of this.materials) material.color.set(colour);
  }

  // Room for `count` arrows; what was put before is gone.
  begin(count: number): void {
    this.used = 0;
    if (this.capacity >= Math.max(1, count)) return;
    this.capacity = Math.max(64, 2 * count);
    for (const list of [this.shafts, this.heads]) {
      const matrices = new InstancedBufferAttribute(new Float32Array(16 * this.capacity), 16);
      matrices.setUsage(DynamicDrawUsage);
      for (const mesh of list) mesh.instanceMatrix = matrices;
    }
  }

  // An arrow of `length` [m] from a point along a vector.
  put(
    x: number,
    y: number,
    z: number,
    vx: number,
    vy: number,
    vz: number,
    length: number,
    thickness: number,
  ): void {
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
  private readonly shade = new Color();
  private pointColour = '#ffffff';

  constructor(
    readonly run: Run,
    private readonly shortest: number,
  ) {
    super();
    this.whole = new Arrows();
    this.normals = new Arrows();
    this.frictions = new Arrows();
    this.points = makePoints();
    this.add(this.whole, this.normals, this.frictions, this.points);
  }

  // Points through what covers them.
  showCovered(on: boolean): void {
    this.points.material.depthTest = !on;
    this.points.material.needsUpdate = true;
  }

  // By how much of the friction cone each contact uses.
  private colourPoints({ contacts }: Frame, view: ContactView): void {
    const { material, geometry } = this.points;
    if (material.vertexColors !== view.byCone) material.needsUpdate = true;
    material.vertexColors = view.byCone;
    material.color.set(view.byCone ? '#ffffff' : this.pointColour);
    if (!view.byCone) return;
    const colours = geometry.getAttribute('color');
    for (let i = 0; i < contacts.count; ++i) {
      const { r, g, b } = coneColour(coneUse(contacts, i), this.shade);
      colours.setXYZ(i, r, g, b);
    }
    colours.needsUpdate = true;
  }

  // The first run has the colours of the theme, another one its own.
  restyle(style: ContactStyle): void {
    const own = this.run.index > 0 ? cssColour(this.run.colour) : null;
    this.whole.colour(own ?? style.force);
    this.normals.colour(style.normal);
    this.frictions.colour(style.friction);
    this.pointColour = own ?? style.point;
    this.points.material.color.set(this.pointColour);
  }

  show(frame: Frame, view: ContactView): void {
    const { count, position, force, normal } = frame.contacts;
    const target = roomFor(this.points.geometry, count);
    this.colourPoints(frame, view);
    const put = (
      arrows: Arrows,
      x: number,
      y: number,
      z: number,
      fx: number,
      fy: number,
      fz: number,
    ) => {
      const length = Math.hypot(fx, fy, fz) * view.metresPerNewton;
      if (length >= this.shortest) arrows.put(x, y, z, fx, fy, fz, length, view.thickness);
    };
    for (const arrows of [this.whole, this.normals, this.frictions]) arrows.begin(count);
    for (let i = 0; i < count; ++i) {
      const k = 3 * i;
      const [x, y, z] = [position[k], position[k + 1], position[k + 2]];
      target.setXYZ(i, x, y, z);
      if (!view.splitForces) {
        put(this.whole, x, y, z, force[k], force[k + 1], force[k + 2]);
        continue;
      }
      const [nx, ny, nz] = [normal[k] / 32767, normal[k + 1] / 32767, normal[k + 2] / 32767];
      const along = force[k] * nx + force[k + 1] * ny + force[k + 2] * nz;
      put(this.normals, x, y, z, along * nx, along * ny, along * nz);
      put(
        this.frictions,
        x,
        y,
        z,
        force[k] - along * nx,
        force[k + 1] - along * ny,
        force[k + 2] - along * nz,
      );
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
  byCone = false; // points coloured by use of the friction cone
  metresPerNewton = 1;
  thickness: number; // of arrows  [m]
  private stretch = 1; // 1: the automatic length
  private readonly usual = new UsualForce();
  private readonly runs: RunContacts[];

  constructor(
    private readonly replay: Replay,
    private readonly radius: number,
  ) {
    super();
    this.thickness = 0.0045 * radius;
    this.grow();
    this.runs = replay.runs.map((run) => new RunContacts(run, 2e-3 * radius));
    this.add(...this.runs);
  }

  showCovered(on: boolean): void {
    for (const contacts of this.runs) contacts.showCovered(on);
  }

  restyle(style: ContactStyle): void {
    for (const contacts of this.runs) contacts.restyle(style);
  }

  // After frames have come.
  grow(): void {
    if (this.usual.grow(this.replay)) this.setScale(this.stretch);
  }

  // [N]  exceeded by few contacts only
  get typicalForce(): number {
    return this.usual.force;
  }

  // 1: the automatic length
  setScale(scale: number): void {
    this.stretch = scale;
    const automatic = this.typicalForce > 0 ? (0.22 * this.radius) / this.typicalForce : 1;
    this.metresPerNewton = automatic * scale;
    this.thickness = 0.0045 * this.radius * Math.sqrt(Math.min(2, Math.max(0.5, scale)));
  }

  show(time: number): void {
    for (const contacts of this.runs) {
      contacts.visible = contacts.run.shown;
      if (contacts.visible) contacts.show(contacts.run.at(time), this);
    }
  }
}

// From what rests to what slides.
const coneStops = ['#3ddc84', '#ffd43b', '#ff4d4d'].map((text) => new Color(text));

export const coneGradient = `linear-gradient(to right, ${coneStops
  .map((stop) => `#${stop.getHexString()}`)
  .join(', ')})`;

function coneColour(use: number, target: Color): Color {
  const at = 2 * Math.min(1, Math.max(0, use));
  return at < 1
    ? target.copy(coneStops[0]).lerp(coneStops[1], at)
    : target.copy(coneStops[1]).lerp(coneStops[2], at - 1);
}

const depthLead = '4e-5'; // of the range of depths: points lie a little before their surface

// The places of the points, with room for `count` of them.
function roomFor(geometry: BufferGeometry, count: number): BufferAttribute {
  const held = geometry.getAttribute('position') as BufferAttribute | undefined;
  if (held && count <= held.count) return held;
  const wider = new BufferAttribute(new Float32Array(3 * Math.max(64, 2 * count)), 3);
  geometry.setAttribute('position', wider);
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(wider.array.length), 3));
  return wider;
}

function makePoints(): Points<BufferGeometry, PointsMaterial> {
  const disc = document.createElement('canvas');
  disc.width = disc.height = 32;
  const context = disc.getContext('2d')!;
  context.fillStyle = '#ffffff';
  context.beginPath();
  context.arc(16, 16, 15, 0, 2 * Math.PI);
  context.fill();
  const material = new PointsMaterial({
    size: 7,
    sizeAttenuation: false,
    map: new CanvasTexture(disc),
    transparent: true,
  });
  // a point on the surface of a body is before it, one behind the body is not
  material.depthWrite = false;
  material.alphaTest = 0.5;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace(
      '#include <project_vertex>',
      `#include <project_vertex>\ngl_Position.z -= ${depthLead} * gl_Position.w;`,
    );
  };
  const geometry = new BufferGeometry();
  roomFor(geometry, 0);
  const points = new Points(geometry, material);
  points.frustumCulled = false;
  points.renderOrder = 5;
  return points;
}
