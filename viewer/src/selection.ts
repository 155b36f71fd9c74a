// The card of what was clicked: a body with its pose, velocities and mass, or a contact, which is
// followed from frame to frame.
import { Euler, Quaternion, Vector3 } from 'three';
import { byId } from './dom';
import type { ContactHit, Picker } from './picking';
import type { Replay, Run } from './replay';
import { fixed, quantity } from './units';
import type { World } from './world';

const degrees = 180 / Math.PI;

export class SelectionCard {
  body = -1;
  private contact: ContactHit | null = null;
  private readonly point = new Vector3();
  private readonly from = new Quaternion();
  private readonly to = new Quaternion();

  constructor(
    private readonly replay: Replay,
    private readonly world: World,
    private readonly picker: Picker,
  ) {}

  chooseBody(body: number): void {
    [this.body, this.contact] = [body, null];
  }

  chooseContact(contact: ContactHit): void {
    [this.body, this.contact] = [-1, contact];
  }

  show(time: number): void {
    const shown = this.body >= 0 || this.contact !== null;
    byId('selection').hidden = !shown;
    byId('selection-buttons').hidden = this.body < 0;
    if (!shown) return;
    const text = this.contact ? this.contactText(time) : this.bodyText(time);
    const place = byId('selection-text');
    if (place.textContent !== text) place.textContent = text;
  }

  // The contact of the same geoms that is nearest to where the clicked one was last.
  private contactText(time: number): string {
    const { run, contacts, contact } = this.contact!;
    const now = run.at(time).contacts;
    const [a, b] = [contacts.geom[2 * contact], contacts.geom[2 * contact + 1]];
    const place = (of: typeof now, i: number) => [0, 1, 2].map((k) => of.position[3 * i + k]);
    const was = place(contacts, contact);
    let [best, reach] = [-1, Infinity];
    for (let i = 0; i < now.count; ++i) {
      if (now.geom[2 * i] !== a || now.geom[2 * i + 1] !== b) continue;
      const distance = Math.hypot(...place(now, i).map((value, k) => value - was[k]));
      if (distance < reach) [best, reach] = [i, distance];
    }
    const { scene } = this.replay;
    if (best < 0) return `${scene.geomName(a)} – ${scene.geomName(b)}\nno contact at this time`;
    this.contact = { run, contacts: now, contact: best };
    return this.picker.contactText(this.contact);
  }

  private bodyText(time: number): string {
    const { scene, runs } = this.replay;
    const shown = runs.filter((run) => run.shown || runs.length === 1);
    const lines = [`${scene.bodyName(this.body)}  ${quantity(scene.bodies[this.body].mass, 'kg')}`];
    for (const run of scene.moves(this.body) ? shown : shown.slice(0, 1)) {
      if (runs.length > 1 && scene.moves(this.body)) lines.push(run.name);
      lines.push(...this.poseLines(run), ...this.motionLines(run, time));
    }
    return lines.join('\n');
  }

  private poseLines(run: Run): string[] {
    const group = this.world.bodies[run.index][this.body];
    const place = this.point.setFromMatrixPosition(group.matrixWorld).toArray();
    // rotations about the fixed axes x, y, z, one after the other
    const { x, y, z } = new Euler().setFromQuaternion(group.quaternion, 'ZYX');
    const angles = [x, y, z].map((angle) => fixed(angle * degrees, 1));
    return [
      `at  ${place.map((value) => fixed(value, 4)).join('  ')} m`,
      `roll ${angles[0]}°  pitch ${angles[1]}°  yaw ${angles[2]}°`,
    ];
  }

  // Between the two frames around the time.
  private motionLines(run: Run, time: number): string[] {
    const { track } = this.replay.scene.bodies[this.body];
    if (track < 0 || run.frameCount < 2) return [];
    const { frame } = run.locate(time);
    const last = Math.min(frame, run.frameCount - 2);
    const [a, b] = [run.frames.frame(last), run.frames.frame(last + 1)];
    const passed = b.time - a.time;
    if (!(passed > 0)) return [];
    const way = [0, 1, 2].map((k) => b.position[3 * track + k] - a.position[3 * track + k]);
    const rate = way.map((value) => value / passed);
    read(this.from, a.quaternion, track);
    read(this.to, b.quaternion, track);
    const turn = this.to.multiply(this.from.invert());
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const sine = Math.hypot(turn.x, turn.y, turn.z);
    const scale = sine > 0 ? (2 * Math.atan2(sine, turn.w)) / (sine * passed) : 0;
    const turning = [turn.x, turn.y, turn.z].map((value) => value * scale);
    const three = (values: number[]) => values.map((value) => fixed(value, 3)).join('  ');
    return [
      `velocity  ${three(rate)} m/s  (${quantity(Math.hypot(...rate), 'm/s')})`,
      `turning  ${three(turning)} rad/s`,
    ];
  }
}

// w x y z, of any length
function read(target: Quaternion, values: ArrayLike<number>, track: number): void {
  const [w, x, y, z] = [0, 1, 2, 3].map((k) => values[4 * track + k]);
  target.set(x, y, z, w).normalize();
}
