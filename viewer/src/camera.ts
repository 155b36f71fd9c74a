// Camera with orbit controls, z up; framing; where points of the world are on the screen.
import { PerspectiveCamera, type Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

export class View {
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly point = new Vector3();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly bounds: Sphere,
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

  get distance(): number {
    return this.camera.position.distanceTo(this.target);
  }

  // Looks at everything from a direction (from the target to the camera).
  frame(direction = new Vector3(0.62, -0.95, 0.55)): void {
    const { center, radius } = this.bounds;
    const half = (Math.min(this.camera.fov, this.camera.fov * this.camera.aspect) * Math.PI) / 360;
    this.target.copy(center);
    this.camera.position
      .copy(center)
      .addScaledVector(direction.clone().normalize(), (0.9 * radius) / Math.sin(half));
    this.update();
  }

  move(by: Vector3): void {
    this.target.add(by);
    this.camera.position.add(by);
    this.update();
  }

  centreOn(point: Vector3): void {
    this.move(this.point.copy(point).sub(this.target));
  }

  resize(): boolean {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const aspect = width / height;
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
