// Pulling a body: a spring from where it was taken to the mouse, in the plane of the picture
// through that point. The simulation says what force it has.
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  Line,
  LineBasicMaterial,
  Plane,
  Points,
  PointsMaterial,
  Raycaster,
  Vector2,
  Vector3,
} from 'three';
import type { View } from './camera';
import type { LiveSource } from './live';
import type { Picker } from './picking';
import { quantity } from './units';
import type { World } from './world';

const springColour = '#ff4fd8';

export class Drag extends Group {
  always = false; // without the control key
  private body = -1;
  private readonly point = new Vector3(); // in the body frame
  private readonly target = new Vector3();
  private readonly plane = new Plane();
  private readonly ray = new Raycaster();
  private readonly mouse = new Vector2();
  private readonly ends = new BufferAttribute(new Float32Array(6), 3);
  private readonly mark = new Vector3();
  private readonly label = document.createElement('div');

  constructor(
    private readonly canvas: HTMLCanvasElement,
    stage: HTMLElement,
    private readonly view: View,
    private readonly world: World,
    private readonly picker: Picker,
    private readonly source: LiveSource,
  ) {
    super();
    const geometry = new BufferGeometry().setAttribute('position', this.ends);
    // drawn after the ground, which is translucent and would cover what leaves no depth
    const style = { color: springColour, depthTest: false, transparent: true };
    const line = new Line(geometry, new LineBasicMaterial(style));
    const dots = new Points(
      geometry,
      new PointsMaterial({ ...style, size: 9, sizeAttenuation: false }),
    );
    for (const object of [line, dots]) {
      object.frustumCulled = false;
      object.renderOrder = 6;
    }
    this.add(line, dots);
    this.visible = false;
    this.label.className = 'label fixed';
    this.label.id = 'drag-force';
    this.label.hidden = true;
    stage.append(this.label);
    this.listen();
  }

  // The spring as the simulation has it, and its force in words.
  show(): void {
    const { drag } = this.source.state;
    this.visible = drag !== null;
    this.label.hidden = drag === null;
    if (!drag) return;
    this.ends.set([...drag.place, ...drag.target]);
    this.ends.needsUpdate = true;
    this.label.textContent = quantity(Math.hypot(...drag.force), 'N');
    const pixel = this.view.project(this.mark.fromArray(drag.target));
    const rect = this.canvas.getBoundingClientRect();
    if (!pixel) return;
    const [left, top] = [pixel[0] - rect.left + 12, pixel[1] - rect.top - 24];
    this.label.style.transform = `translate(${left}px, ${top}px)`;
  }

  private listen(): void {
    const { canvas } = this;
    // before the camera's own
    canvas.addEventListener('pointerdown', (event) => this.begin(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel'] as const)
      canvas.addEventListener(end, () => this.end());
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0 || !(event.ctrlKey || this.always)) return;
    const hit = this.picker.body(event.clientX, event.clientY);
    if (!hit || !this.world.moves(hit.body)) return;
    this.body = hit.body;
    this.target.copy(hit.point);
    this.point.copy(hit.point);
    this.world.bodies[0][hit.body].worldToLocal(this.point);
    this.view.camera.getWorldDirection(this.plane.normal);
    this.plane.setFromNormalAndCoplanarPoint(this.plane.normal, hit.point);
    this.view.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.tell();
  }

  private move(event: PointerEvent): void {
    if (this.body < 0) return;
    const rect = this.canvas.getBoundingClientRect();
    this.mouse.set(
      ((event.clientX - rect.left) / rect.width) * 2 - 1,
      1 - ((event.clientY - rect.top) / rect.height) * 2,
    );
    this.ray.setFromCamera(this.mouse, this.view.camera);
    if (this.ray.ray.intersectPlane(this.plane, this.target)) this.tell();
  }

  private end(): void {
    if (this.body < 0) return;
    this.body = -1;
    this.view.controls.enabled = true;
    this.source.send({ do: 'release' });
  }

  private tell(): void {
    const [point, target] = [this.point.toArray(), this.target.toArray()];
    this.source.send({ do: 'drag', body: this.body, point, target });
  }
}
