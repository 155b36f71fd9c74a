// What lies under the mouse: contacts first, then bodies; labels of bodies.
import { Raycaster, Vector2, Vector3 } from 'three';
import type { View } from './camera';
import { coneUse, frictionForce, normalForce, slidingShare } from './cone';
import type { Replay, Run } from './replay';
import type { FrameContacts } from './source';
import { quantity, short } from './units';
import type { World } from './world';

const contactReach = 9; // pixels
const coverSamples = 40; // bodies that are looked at, about

export interface BodyHit {
  run: Run;
  body: number;
  geom: number;
  point: Vector3; // [m]  under the mouse
}

export interface ContactHit {
  run: Run;
  contacts: FrameContacts;
  contact: number; // among them
}

function vectorOf(values: ArrayLike<number>, index: number): [number, number, number] {
  return [values[3 * index], values[3 * index + 1], values[3 * index + 2]];
}

export class Picker {
  private readonly ray = new Raycaster();
  private readonly mouse = new Vector2();
  private readonly point = new Vector3();
  private readonly labels: HTMLElement[] = [];

  constructor(
    private readonly replay: Replay,
    private readonly world: World,
    private readonly view: View,
    private readonly canvas: HTMLCanvasElement,
    private readonly stage: HTMLElement,
  ) {}

  body(clientX: number, clientY: number): BodyHit | null {
    const rect = this.canvas.getBoundingClientRect();
    this.mouse.set(
      ((clientX - rect.left) / rect.width) * 2 - 1,
      1 - ((clientY - rect.top) / rect.height) * 2,
    );
    this.ray.setFromCamera(this.mouse, this.view.camera);
    const parts = this.world.parts.filter((part) => part.shown);
    const meshes = parts.map((part) => part.mesh);
    const hits = this.ray.intersectObjects(meshes, false);
    const hit = hits.find(({ point }) => !this.world.clipped(point));
    const part = hit && parts.find((candidate) => candidate.mesh === hit.object);
    if (!part) return null;
    const { body, geom } = part;
    return { run: this.replay.runs[part.run], body, geom, point: hit.point };
  }

  // Share of what moves that what stands hides from the camera, at a time; of some bodies.
  coveredShare(time: number): number {
    const { scene } = this.replay;
    const parts = this.world.parts.filter((part) => part.shown && !scene.moves(part.body));
    const walls = parts.map((part) => part.mesh);
    const moving = this.world.bodies[0].filter((_group, body) => scene.moves(body));
    if (walls.length === 0 || moving.length === 0) return 0;
    this.world.pose(time);
    const eye = this.view.camera.position;
    const asked = moving.filter((_group, i) => i % Math.ceil(moving.length / coverSamples) === 0);
    const covered = asked.filter((group) => {
      group.getWorldPosition(this.point).sub(eye);
      this.ray.far = 0.999 * this.point.length();
      this.ray.set(eye, this.point.normalize());
      return this.ray.intersectObjects(walls, false).length > 0;
    });
    this.ray.far = Infinity;
    return covered.length / asked.length;
  }

  contact(clientX: number, clientY: number, time: number): ContactHit | null {
    let best: ContactHit | null = null;
    let reach = contactReach;
    for (const run of this.replay.runs) {
      if (!run.shown) continue;
      const { contacts } = run.at(time);
      for (let i = 0; i < contacts.count; ++i) {
        const [x, y, z] = vectorOf(contacts.position, i);
        const pixel = this.view.project(this.point.set(x, y, z));
        if (!pixel) continue;
        const distance = Math.hypot(pixel[0] - clientX, pixel[1] - clientY);
        if (distance < reach) [best, reach] = [{ run, contacts, contact: i }, distance];
      }
    }
    return best;
  }

  contactText({ run, contacts, contact }: ContactHit): string {
    const { geom } = contacts;
    const [along, across] = [normalForce(contacts, contact), frictionForce(contacts, contact)];
    const [a, b] = [
      this.replay.scene.geomName(geom[2 * contact]),
      this.replay.scene.geomName(geom[2 * contact + 1]),
    ];
    const [gap, slip] = [contacts.gap[contact], contacts.slip[contact]];
    const bound = contacts.friction[contact] * Math.abs(along);
    const used = coneUse(contacts, contact);
    const motion = used < slidingShare ? 'sticks' : 'slides';
    return [
      `${a} – ${b}${this.runText(run)}`,
      `normal ${quantity(along, 'N')}, friction ${quantity(across, 'N')}, on ${b}`,
      `gap ${quantity(gap, 'm')}, slip ${quantity(slip, 'm/s')}`,
      bound > 0
        ? `${motion}: ${(100 * used).toFixed(0)} % of the friction cone, µ ${short(bound / along)}`
        : 'without friction',
    ].join('\n');
  }

  // Of which run something is, where there are several.
  private runText(run: Run): string {
    return this.replay.runs.length > 1 ? `\nrun ${run.name}` : '';
  }

  bodyText({ run, body, geom }: BodyHit): string {
    const entry = this.replay.scene.geoms[geom];
    const name = this.replay.scene.bodyName(body);
    const moves = this.replay.scene.moves(body);
    return (
      name +
      (entry.name && entry.name !== name ? `\ngeom ${entry.name}` : '') +
      (moves ? this.runText(run) : '')
    );
  }

  // Labels at the origins of named bodies that move; all of them are hidden without `shown`.
  showNames(shown: boolean): void {
    for (const label of this.labels) label.remove();
    this.labels.length = 0;
    if (!shown) return;
    this.replay.scene.bodies.forEach((entry, body) => {
      if (entry.track < 0 || !entry.name) return;
      const label = document.createElement('div');
      label.className = 'label fixed';
      label.textContent = entry.name;
      label.dataset.body = String(body);
      this.labels.push(label);
      this.stage.append(label);
    });
    this.placeNames();
  }

  // A label that would cover an earlier one is left out.
  placeNames(): void {
    if (this.labels.length === 0) return;
    const rect = this.stage.getBoundingClientRect();
    const taken: [number, number, number][] = []; // centre and half width  [pixels]
    for (const label of this.labels) {
      const group = this.world.bodies[this.replay.front.index][Number(label.dataset.body)];
      const pixel = this.view.project(this.point.setFromMatrixPosition(group.matrixWorld));
      const half = 4 + 3.4 * label.textContent!.length;
      const covered = (at: [number, number, number]) =>
        pixel !== null &&
        Math.abs(at[1] - pixel[1]) < 18 &&
        Math.abs(at[0] - pixel[0]) < at[2] + half;
      label.hidden = pixel === null || taken.some(covered);
      if (!pixel || label.hidden) continue;
      taken.push([pixel[0], pixel[1], half]);
      const [left, top] = [pixel[0] - rect.left, pixel[1] - rect.top];
      label.style.transform = `translate(${left}px, ${top}px) translate(-50%, -50%)`;
    }
  }
}
