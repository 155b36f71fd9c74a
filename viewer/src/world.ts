// The three.js scene: one group for each body, its geoms below it, ground and lights.
import {
  Box3,
  type BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  type MeshStandardMaterial,
  Plane,
  Quaternion,
  Scene,
  Sphere,
  SRGBColorSpace,
  Vector3,
} from 'three';
import type { Replay, Run } from './replay';
import type { GeomEntry } from './scene';
import { Batches, type Drawn } from './batches';
import { Ground, type GroundStyle } from './ground';
import { Looks } from './looks';
import { BodyMarks, type MarkKind } from './marks';
import { Materials } from './materials';
import { Shapes } from './shapes';
import { Skins } from './skins';

export type GeometryMode = 'visual' | 'collision' | 'both';

const unitBox = new Vector3(1, 1, 1); // [m]  looked at where there is nothing to see
const ghostOpacity = 0.45; // of the runs that are drawn over the first one
// geoms of this group and above that collide are not for the eye, as is usual in MJCF
const collisionGroup = 3;
const faintMoving = 0.35; // opacity of what moves, where it is to be seen through
const faintFixed = 0.2;
const alikeBodies = 4; // of one colour are told apart by colours of their own

interface Part extends Drawn {
  run: number;
  geom: number;
  body: number;
  collision: boolean;
  material: MeshStandardMaterial;
  overMaterial: MeshStandardMaterial;
  textured: { geometry: BufferGeometry; material: MeshStandardMaterial } | null;
  plain: { geometry: BufferGeometry; material: MeshStandardMaterial };
}

export class World {
  readonly scene = new Scene();
  // (runs x bodies)  what does not move is the same group in all runs
  readonly bodies: Group[][] = [];
  readonly parts: Part[] = [];
  readonly skins: Skins;
  readonly bounds: Sphere;
  readonly outline: Float32Array; // corners of boxes around what is worth looking at  [m]
  readonly hasVisual: boolean;
  readonly hasCollision: boolean;
  private readonly grounds: { ground: Ground; geom: number }[] = []; // geom -1: of no plane
  private readonly marks: BodyMarks;
  private readonly hiddenBodies = new Set<number>();
  private readonly hiddenGroups = new Set<number>();
  private readonly clipping: Plane[] = []; // none, or the one that cuts
  private glass = false; // what moves is seen through
  private wired = false;
  private seeThrough = false;
  private coloured = false; // bodies by their number
  private outlined = false; // edges of bodies
  private readonly batches = new Batches();
  readonly looks: Looks;
  private readonly materials: Materials;
  private texturesShown = true;
  private readonly skyBall: Mesh | null;
  private readonly sky = new HemisphereLight('#ffffff', '#6b7280', 0.9);
  private readonly sun = new DirectionalLight('#fff6e8', 2.4);
  private mode: GeometryMode = 'visual';
  private selected = -1;
  private readonly ahead = new Vector3();
  private readonly from = new Quaternion();
  private readonly to = new Quaternion();

  constructor(private readonly replay: Replay) {
    this.looks = new Looks(replay.scene);
    this.materials = new Materials(this.clipping, this.looks);
    this.skyBall = this.looks.sky();
    if (this.skyBall) this.scene.add(this.skyBall);
    this.makeBodies();
    this.skins = new Skins(replay);
    this.scene.add(this.skins);
    this.makeParts();
    this.scene.add(this.batches);
    this.coloured = this.outlined = this.looksAlike();
    this.hasVisual = this.parts.some((part) => !part.collision);
    this.hasCollision = this.parts.some((part) => part.collision);
    const boxes = this.findBoxes();
    this.bounds = unionOf(boxes).getBoundingSphere(new Sphere());
    this.outline = cornersOf(boxes);
    this.makeGround();
    this.makeLights();
    this.marks = new BodyMarks(replay.scene, 0.11 * this.bounds.radius);
    this.scene.add(this.marks);
    this.batches.clip(this.clipping);
    this.skins.clip(this.clipping);
    this.pose(replay.start);
    this.setMode(this.hasVisual ? 'visual' : 'collision');
  }

  // Bodies at a time between frames: positions linear, orientations along the shorter arc.
  pose(time: number): void {
    for (const run of this.replay.runs) this.poseRun(run, time);
    this.skins.show(time);
    this.scene.updateMatrixWorld();
    this.batches.place();
    this.marks?.place(this.bodies[this.replay.front.index]);
  }

  get bodiesColoured(): boolean {
    return this.coloured;
  }

  get edgesShown(): boolean {
    return this.outlined;
  }

  // One colour for each moving body, instead of the model's.
  colourBodies(on: boolean): void {
    this.coloured = on;
    this.showRuns();
  }

  showEdges(on: boolean): void {
    this.outlined = on;
    this.showRuns();
  }

  // Whether several bodies move that all have one colour: a heap of them is one blot then.
  private looksAlike(): boolean {
    const moving = this.parts.filter((part) => !part.collision && this.moves(part.body));
    const bodies = new Set(moving.map((part) => part.body));
    const colours = new Set(moving.map((part) => this.replay.scene.geoms[part.geom].rgba.join()));
    const painted = moving.some((part) => part.textured);
    return bodies.size >= alikeBodies && colours.size === 1 && !painted;
  }

  private poseRun(run: Run, time: number): void {
    const { frame, fraction } = run.locate(time);
    const now = run.frames.frame(frame);
    const next = run.frames.frame(Math.min(frame + 1, run.frameCount - 1));
    this.replay.scene.bodies.forEach(({ track }, index) => {
      if (track < 0) return;
      const group = this.bodies[run.index][index];
      readPosition(group.position, now.position, track);
      group.position.lerp(readPosition(this.ahead, next.position, track), fraction);
      readQuaternion(this.from, now.quaternion, track);
      readQuaternion(this.to, next.quaternion, track);
      group.quaternion.slerpQuaternions(this.from, this.to, fraction);
    });
  }

  moves(body: number): boolean {
    return this.replay.scene.moves(body);
  }

  setMode(mode: GeometryMode): void {
    this.mode = mode;
    this.showRuns();
  }

  // After a change of which runs are shown. Shadows fall from one run only.
  showRuns(): void {
    const { mode } = this;
    const { runs, front } = this.replay;
    const alone = runs.filter((run) => run.shown).length === 1;
    this.materials.setGhostOpacity(alone ? 1 : ghostOpacity);
    for (const part of this.parts) {
      const fixed = !this.replay.scene.moves(part.body);
      part.shown =
        (fixed || runs[part.run].shown) &&
        !this.hidden(part.body, part.geom) &&
        (mode === 'both' || part.collision === (mode === 'collision'));
      const casts =
        (fixed || part.run === front.index) &&
        !(mode === 'both' && part.collision && this.hasVisual);
      part.mesh.castShadow = part.shown && casts && this.opacityOf(part.body) === 1;
      this.dress(part);
    }
    this.batches.arrange(this.parts);
    this.marks?.place(this.bodies[front.index]);
  }

  select(body: number): void {
    this.selected = body;
    for (const part of this.parts) this.dress(part);
    this.batches.arrange(this.parts);
  }

  showMarks(kind: MarkKind, shown: boolean): void {
    this.marks.show(kind, shown);
    this.marks.place(this.bodies[this.replay.front.index]);
  }

  get hiddenCount(): number {
    return this.hiddenBodies.size;
  }

  hideBody(body: number): void {
    this.hiddenBodies.add(body);
    this.showHidden();
  }

  showAllBodies(): void {
    this.hiddenBodies.clear();
    this.showHidden();
  }

  // Groups of geoms, ascending.
  get groups(): number[] {
    return [...new Set(this.replay.scene.geoms.map(({ group }) => group))].sort((a, b) => a - b);
  }

  showGroup(group: number, shown: boolean): void {
    if (shown) this.hiddenGroups.delete(group);
    else this.hiddenGroups.add(group);
    this.showHidden();
  }

  private hidden(body: number, geom: number): boolean {
    return (
      this.hiddenBodies.has(body) || this.hiddenGroups.has(this.replay.scene.geoms[geom].group)
    );
  }

  private showHidden(): void {
    for (const { ground, geom } of this.grounds)
      ground.visible = geom < 0 || !this.hidden(this.replay.scene.geoms[geom].body, geom);
    this.skins.hide((geom) => this.hidden(this.replay.scene.geoms[geom].body, geom));
    this.showRuns();
  }

  // Bodies are cut where `axis` (0 to 2) is above a place [m], or below it; -1: nowhere.
  clip(axis: number, above: boolean, at: number): void {
    this.clipping.length = 0;
    if (axis >= 0) {
      const normal = new Vector3().setComponent(axis, above ? -1 : 1);
      this.clipping.push(new Plane(normal, above ? at : -at));
    }
    this.materials.cut();
    this.showRuns();
  }

  // Whether a point of a body is cut away.
  clipped(point: Vector3): boolean {
    return this.clipping.some((plane) => plane.distanceToPoint(point) < 0);
  }

  showWire(on: boolean): void {
    this.wired = on;
    this.showRuns();
  }

  // Bodies that move, translucent: what is inside a grasp is seen.
  showGlass(on: boolean): void {
    this.glass = on;
    this.showRuns();
  }

  private opacityOf(body: number): number {
    if (this.replay.scene.moves(body)) return this.glass ? faintMoving : 1;
    return this.seeThrough ? faintFixed : 1;
  }

  // Bodies that never move, translucent: what lies in a bin is seen.
  showThrough(through: boolean): void {
    this.seeThrough = through;
    this.showRuns();
  }

  // Textures of shapes and planes; without them their colours.
  showTextures(shown: boolean): void {
    this.texturesShown = shown;
    for (const part of this.parts) {
      const look = (shown && part.textured) || part.plain;
      part.mesh.geometry = look.geometry;
      part.material = look.material;
    }
    for (const { ground } of this.grounds) ground.showTexture(shown);
    this.showRuns();
  }

  get hasSky(): boolean {
    return this.skyBall !== null;
  }

  showSky(shown: boolean): void {
    if (this.skyBall) this.skyBall.visible = shown;
  }

  showGrid(shown: boolean): void {
    for (const { ground } of this.grounds) ground.showLines(shown);
    this.sun.castShadow = shown;
  }

  restyle(style: GroundStyle, dark: boolean): void {
    for (const { ground } of this.grounds) ground.restyle(style);
    this.materials.restyle();
    this.showRuns();
    this.sky.intensity = dark ? 0.7 : 0.9;
    this.sun.intensity = dark ? 2.2 : 2;
  }

  // Light and shadow follow what the camera looks at, so that shadows are sharp at any zoom.
  light(target: Vector3, distance: number): void {
    const radius = Math.max(
      0.05 * this.bounds.radius,
      Math.min(1.5 * this.bounds.radius, distance),
    );
    this.sun.target.position.copy(target);
    this.sun.position
      .set(0.35, -0.55, 1)
      .normalize()
      .multiplyScalar(4 * radius)
      .add(target);
    const camera = this.sun.shadow.camera;
    if (Math.abs(camera.right - radius) < 0.05 * radius) return;
    Object.assign(camera, {
      left: -radius,
      right: radius,
      top: radius,
      bottom: -radius,
      near: 0.5 * radius,
      far: 9 * radius,
    });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
  }

  private dress(part: Part): void {
    const over = this.mode === 'both' && part.collision && this.hasVisual;
    const solid = over ? part.overMaterial : part.material;
    const moving = this.replay.scene.moves(part.body);
    const opacity = this.opacityOf(part.body);
    const faint = opacity < 1 ? this.materials.translucent(solid, opacity) : solid;
    const material = this.wired ? this.materials.wired(faint) : faint;
    const chosen = part.body === this.selected ? this.materials.highlighted(material) : material;
    part.surface = this.materials.colourless(chosen);
    const painted = part.textured && this.texturesShown;
    const own = this.coloured && moving && part.run === 0 && !part.collision && !painted;
    part.colour = own ? this.materials.bodyColour(part.body) : chosen.color;
    part.edges = this.outlined && moving && !over && !this.wired;
    part.mesh.renderOrder = over ? 1 : 0;
  }

  private makeBodies(): void {
    for (const run of this.replay.runs) {
      this.bodies.push(
        this.replay.scene.bodies.map((entry, index) => {
          if (run.index > 0 && entry.track < 0) return this.bodies[0][index];
          const group = new Group();
          const [w, x, y, z] = entry.quaternion;
          group.position.fromArray(entry.position);
          group.quaternion.set(x, y, z, w);
          this.scene.add(group);
          return group;
        }),
      );
    }
  }

  private makeParts(): void {
    const shapes = new Shapes(this.replay.scene);
    this.replay.scene.geoms.forEach((geom, index) => {
      if (geom.kind === 'plane' || geom.kind === 'soft') return;
      const seen = (!geom.collides || geom.group < collisionGroup) && geom.rgba[3] > 0;
      if (seen) this.addPart(shapes, geom, index, false);
      if (geom.collides) this.addPart(shapes, geom, index, true);
    });
  }

  private addPart(shapes: Shapes, geom: GeomEntry, index: number, collision: boolean): void {
    const geometry = shapes.geometry(geom, collision);
    if (!geometry) return;
    for (const run of this.replay.runs) {
      const first = run.index === 0;
      if (!first && !this.replay.scene.moves(geom.body)) continue;
      const ghost = first ? null : this.materials.ghost(run);
      const overMaterial = ghost ?? this.materials.collision(geom.body, true);
      const { rgba, appearance } = geom;
      const own = collision
        ? this.materials.collision(geom.body, false)
        : this.materials.visual(rgba, appearance, false);
      const plain = { geometry, material: ghost ?? own };
      const painted = !ghost && !collision && this.looks.covers(geom);
      const textured = painted
        ? {
            geometry: this.looks.geometry(geometry, shapes.scale(geom), appearance),
            material: this.materials.visual(rgba, appearance, true),
          }
        : null;
      const { material } = textured ?? plain;
      const mesh = new Mesh((textured ?? plain).geometry, material);
      place(mesh, geom);
      mesh.scale.copy(shapes.scale(geom));
      mesh.visible = false; // its batch is drawn
      mesh.receiveShadow = first;
      this.bodies[run.index][geom.body].add(mesh);
      this.parts.push({
        mesh,
        run: run.index,
        geom: index,
        body: geom.body,
        collision,
        material,
        overMaterial,
        textured,
        plain,
        shown: false,
        edges: false,
        surface: material,
        colour: material.color,
      });
    }
  }

  // What is worth looking at: what moves, along its way, and what lies around it if it is not much
  // larger.
  private findBoxes(): Box3[] {
    const paths = new Map(this.parts.map((part) => [part, new Box3()]));
    const soft = new Box3();
    const { timeline } = this.replay;
    const samples = Math.min(timeline.frameCount, 48);
    for (let s = 0; s < samples; ++s) {
      const frame = Math.floor((s * (timeline.frameCount - 1)) / Math.max(1, samples - 1));
      this.pose(timeline.frames.time[frame]);
      for (const part of this.parts)
        if (this.replay.scene.moves(part.body)) paths.get(part)!.union(boxOf(part.mesh));
      if (this.skins.count > 0) soft.union(new Box3().setFromObject(this.skins));
    }
    const boxes = [...paths.values(), soft].filter((box) => !box.isEmpty());
    const moving = unionOf(boxes).getBoundingSphere(new Sphere());
    for (const part of this.parts) {
      if (this.replay.scene.moves(part.body)) continue;
      const own = boxOf(part.mesh);
      const reach = own.getBoundingSphere(new Sphere());
      const near = reach.center.distanceTo(moving.center) < 2.5 * moving.radius + reach.radius;
      if (moving.isEmpty() || (reach.radius < 2 * moving.radius && near)) boxes.push(own);
    }
    const size = unionOf(boxes).getBoundingSphere(new Sphere()).radius;
    return size > 0 ? boxes : [new Box3().setFromCenterAndSize(new Vector3(), unitBox)];
  }

  private makeGround(): void {
    const { radius, center } = this.bounds;
    // [m]  a power of ten, about ten cells across
    const grid = 10 ** Math.round(Math.log10(0.12 * radius));
    const reach = 14 * radius + Math.hypot(center.x, center.y);
    const planes = this.replay.scene.geoms.flatMap(({ kind }, index) =>
      kind === 'plane' ? [index] : [],
    );
    for (const index of planes) {
      const geom = this.replay.scene.geoms[index];
      const [a, b] = geom.size;
      const [r, g, bl] = geom.rgba;
      const plain = Math.max(Math.abs(r - g), Math.abs(g - bl)) < 0.08; // greys follow the theme
      const colour = plain ? undefined : new Color().setRGB(r, g, bl, SRGBColorSpace);
      const ground = new Ground(
        a > 0 ? Math.min(a, reach) : reach,
        b > 0 ? Math.min(b, reach) : reach,
        reach,
        grid,
        colour,
        this.looks.onPlane(geom.appearance, a, b),
        new Color().setRGB(r, g, bl, SRGBColorSpace),
      );
      place(ground, geom);
      this.grounds.push({ ground, geom: index });
      this.bodies[0][geom.body].add(ground);
    }
    if (planes.length > 0) return;

    // without a plane the grid lies at zero, or below what reaches lower
    const ground = new Ground(reach, reach, reach, grid);
    const lowest = new Box3();
    for (const part of this.parts) lowest.union(boxOf(part.mesh));
    ground.position.z =
      lowest.isEmpty() || lowest.min.z > -0.02 * radius
        ? -1e-3 * radius
        : lowest.min.z - 1e-3 * radius;
    this.grounds.push({ ground, geom: -1 });
    this.scene.add(ground);
  }

  private makeLights(): void {
    this.sky.position.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.intensity = 0.9;
    this.sun.shadow.radius = 3;
    this.scene.add(this.sky, this.sun, this.sun.target);
  }
}

function readPosition(target: Vector3, values: ArrayLike<number>, track: number): Vector3 {
  return target.set(values[3 * track], values[3 * track + 1], values[3 * track + 2]);
}

// Quaternions are written w x y z, of any length.
function readQuaternion(target: Quaternion, values: ArrayLike<number>, track: number): void {
  const [w, x, y, z] = [0, 1, 2, 3].map((k) => values[4 * track + k]);
  target.set(x, y, z, w).normalize();
}

function place(object: Mesh, geom: GeomEntry): void {
  const [w, x, y, z] = geom.quaternion;
  object.position.fromArray(geom.position);
  object.quaternion.set(x, y, z, w);
}

function unionOf(boxes: Box3[]): Box3 {
  return boxes.reduce((all, box) => all.union(box), new Box3());
}

function cornersOf(boxes: Box3[]): Float32Array {
  const corners = boxes.flatMap(({ min, max }) =>
    [min.x, max.x].flatMap((x) =>
      [min.y, max.y].flatMap((y) => [min.z, max.z].flatMap((z) => [x, y, z])),
    ),
  );
  return Float32Array.from(corners);
}

function boxOf(mesh: Mesh): Box3 {
  if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
  return mesh.geometry.boundingBox!.clone().applyMatrix4(mesh.matrixWorld);
}
