// Camera with orbit controls, z up; framing; where points of the world are on the screen.
import { PerspectiveCamera, type Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { framing } from './framing';

export interface Covered {
  left: number;
  right: number;
}

const filledPart = 0.9; // of the picture, by what is framed

export class View {
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly point = new Vector3();
  private readonly followed = new Vector3(); // way that a followed body took the camera along  [m]

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly bounds: Sphere,
    private readonly outline: ArrayLike<number>, // points to be seen  [m]
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.02 * bounds.radius;
    this.controls.maxDistance = 60 * bounds.radius;
    this.frame();
  }

  get target(): Vector3 {
    return this.controls.target;
  }

  private get width(): number {
    return Math.max(1, this.canvas.clientWidth);
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.target);
  }

  // Looks at everything from a direction (from the target to the camera). `covered`: pixels of the
  // canvas at the left and at the right that cards lie over.
  frame(
    direction = new Vector3(0.62, -0.95, 0.55),
    covered: Covered = { left: 0, right: 0 },
  ): void {
    const back = direction.clone().normalize();
    const right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const axes = { right: right.toArray(), up: back.clone().cross(right).toArray() };
    const tangent = filledPart * Math.tan((this.camera.fov * Math.PI) / 360);
    const { target, distance } = framing(
      this.outline,
      { ...axes, back: back.toArray() },
      tangent * this.camera.aspect * (1 - (covered.left + covered.right) / this.width),
      tangent,
    );
    this.target.fromArray(target);
    this.followed.set(0, 0, 0);
    const away = Math.max(distance, this.controls.minDistance);
    this.camera.position.copy(this.target).addScaledVector(back, away);
    const aside = (covered.right - covered.left) / 2 / this.pixelsPerMetre();
    this.move(right.multiplyScalar(aside));
  }

  move(by: Vector3): void {
    this.target.add(by);
    this.camera.position.add(by);
    this.update();
  }

  // Goes along with a body that is followed, until release.
  moveAlong(by: Vector3): void {
    this.followed.add(by);
    this.move(by);
  }

  centreOn(point: Vector3): void {
    this.move(this.awayFrom(point));
  }

  // Centres a body that is followed from here on.
  follow(point: Vector3): void {
    this.moveAlong(this.awayFrom(point));
  }

  private awayFrom(point: Vector3): Vector3 {
    return this.point.copy(point).sub(this.target);
  }

  // Back to where it would be had it followed nothing: orbits, pans and zooms since then stay.
  release(): void {
    this.move(this.followed.negate());
    this.followed.set(0, 0, 0);
  }

  resize(): boolean {
    const aspect = this.width / Math.max(1, this.canvas.clientHeight);
    const changed = Math.abs(aspect - this.camera.aspect) > 1e-6;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    return changed;
  }

  update(): void {
    this.controls.update();
    const distance = this.distance;
    this.camera.near = Math.max(1e-4, 0.01 * distance);
    this.camera.far = distance + 60 * this.bounds.radius;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  // Pixels of the page; null behind the camera.
  project(world: Vector3): [number, number] | null {
    const rect = this.canvas.getBoundingClientRect();
    this.point.copy(world).project(this.camera);
    if (this.point.z > 1) return null;
    return [
      rect.left + ((this.point.x + 1) / 2) * rect.width,
      rect.top + ((1 - this.point.y) / 2) * rect.height,
    ];
  }

  // Pixels for a metre at the target.
  pixelsPerMetre(): number {
    return (
      this.canvas.clientHeight / (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360))
    );
  }
}
