// What is drawn at bodies that have no shape: frames, joint axes, centres of mass. All marks of one
// kind are one draw.
import {
  type BufferGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type { Scene } from './scene';

const frameColours = ['#ff5a5a', '#4fd66a', '#5a8bff'];
const jointColour = '#e64fd8';
const centreColour = '#ffd43b';
const zAxis = new Vector3(0, 0, 1);

interface Place {
  body: number;
  local: Matrix4; // in the frame of the body
}

class Marks extends InstancedMesh<BufferGeometry, MeshBasicMaterial> {
  private readonly world = new Matrix4();

  constructor(
    geometry: BufferGeometry,
    colour: string,
    private readonly places: Place[],
  ) {
    super(
      geometry,
      new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.9 }),
      places.length,
    );
    this.renderOrder = 3;
    this.frustumCulled = false;
    this.visible = false;
  }

  place(bodies: Group[]): void {
    this.places.forEach(({ body, local }, i) =>
      this.setMatrixAt(i, this.world.multiplyMatrices(bodies[body].matrixWorld, local)),
    );
    this.instanceMatrix.needsUpdate = true;
  }
}

export type MarkKind = 'frames' | 'axes' | 'centres';

export class BodyMarks extends Group {
  private readonly kinds: Record<MarkKind, Marks[]>;

  // size: of frames  [m]
  constructor(
    scene: Scene,
    private readonly size: number,
  ) {
    super();
    const [frames, axes] = [this.frames(scene), this.axes(scene)];
    this.kinds = { frames, axes, centres: this.centres(scene) };
    for (const marks of Object.values(this.kinds)) if (marks.length > 0) this.add(...marks);
  }

  show(kind: MarkKind, shown: boolean): void {
    for (const marks of this.kinds[kind]) marks.visible = shown;
  }

  place(bodies: Group[]): void {
    for (const marks of Object.values(this.kinds).flat()) if (marks.visible) marks.place(bodies);
  }

  private frames(scene: Scene): Marks[] {
    const shaft = new CylinderGeometry(0.03, 0.03, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    return frameColours.map((colour, k) => {
      const axis = new Vector3().setComponent(k, 1);
      const local = this.along(new Vector3(), axis, this.size);
      return new Marks(shaft, colour, scene.bodies.map((_body, body) => ({ body, local })));
    });
  }

  // A rod through the anchor; a ball where the joint has no axis.
  private axes(scene: Scene): Marks[] {
    const rod = new CylinderGeometry(0.035, 0.035, 2, 10).rotateX(Math.PI / 2);
    const places = (ball: boolean) =>
      scene.joints
        .filter(({ kind }) => (kind === 'ball') === ball)
        .map(({ body, position, axis }) => ({
          body,
          local: this.along(
            new Vector3().fromArray(position),
            new Vector3().fromArray(axis),
            0.6 * this.size,
          ),
        }));
    return [
      new Marks(rod, jointColour, places(false)),
      new Marks(new SphereGeometry(0.3, 16, 10), jointColour, places(true)),
    ];
  }

  // Of bodies with a mass; larger where there is more of it.
  private centres(scene: Scene): Marks[] {
    const heaviest = Math.max(...scene.bodies.map(({ mass }) => mass));
    const places = scene.bodies.flatMap(({ mass, centre }, body) => {
      if (!(mass > 0) || !centre) return [];
      const radius = this.size * Math.max(0.08, 0.3 * Math.cbrt(mass / heaviest));
      const local = new Matrix4().makeScale(radius, radius, radius);
      return [{ body, local: local.setPosition(...(centre as [number, number, number])) }];
    });
    return [new Marks(new SphereGeometry(1, 12, 8), centreColour, places)];
  }

  // From a point along a direction; `length` stretches all axes [m].
  private along(from: Vector3, direction: Vector3, length: number): Matrix4 {
    const turn = new Quaternion().setFromUnitVectors(zAxis, direction.clone().normalize());
    return new Matrix4().compose(from, turn, new Vector3(length, length, length));
  }
}
