// The application: what a source of frames gives, as scene, plots and controls, redrawn when
// something has changed.
import { NeutralToneMapping, PCFShadowMap, Vector3, WebGLRenderer } from 'three';
import { View } from './camera';
import { ContactView, coneGradient } from './contacts';
import { PressureView } from './pressure';
import { addressWords, cameraOf } from './address';
import { ActuatorPanel } from './actuators';
import { Controls } from './controls';
import type { Desk } from './desk';
import { byId } from './dom';
import { Drag } from './drag';
import { LiveSource } from './live';
import { LivePlayer } from './live_player';
import { type ContactHit, Picker } from './picking';
import { Player } from './player';
import { Plots } from './plots';
import { Replay } from './replay';
import { Room } from './room';
import { SelectionCard } from './selection';
import type { FrameSource } from './source';
import { type Theme, themes } from './themes';
import { quantity, roundDown } from './units';
import { valueGradient } from './values';
import { type GeometryMode, World } from './world';

const slowGrowthPeriod = 250; // [ms]  between two renewals of plots and cards in a live view

export class App implements Desk {
  readonly replay: Replay;
  readonly world: World;
  readonly contacts: ContactView;
  readonly pressure: PressureView;
  readonly view: View;
  readonly player: Player;
  readonly plots: Plots;
  private readonly live: LiveSource | null;
  private readonly drag: Drag | null = null;
  private readonly actuators: ActuatorPanel | null = null;
  private slowGrowth = 0; // [ms]  when plots and cards last took what has come
  private laterGrowth = 0; // timer by which they take the last of it; 0: none
  private readonly renderer: WebGLRenderer;
  private readonly room: Room;
  private readonly picker: Picker;
  private readonly controls: Controls;
  private readonly canvas = byId<HTMLCanvasElement>('canvas');
  private readonly stage = byId('stage');
  private readonly hover = byId('label');
  private readonly before = new Vector3();
  private readonly after = new Vector3();
  private theme: Theme = 'dark';
  private readonly selection: SelectionCard;
  private following = false;
  private chosenToFollow = -1; // body that was selected because something must be followed
  complete = false; // all textures are there
  private dirty = true;
  private last = 0;

  constructor(source: FrameSource) {
    const replay = new Replay(source);
    this.replay = replay;
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.localClippingEnabled = true; // materials of bodies have planes of their own
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.world = new World(replay);
    this.room = new Room(this.world.scene, this.renderer, this.world.looks.metal);
    this.contacts = new ContactView(replay, this.world.bounds.radius);
    this.world.scene.add(this.contacts);
    this.pressure = new PressureView(replay);
    this.world.scene.add(this.pressure);
    this.view = new View(this.canvas, this.world.bounds, this.world.outline);
    this.live = source instanceof LiveSource ? source : null;
    this.player = this.live
      ? new LivePlayer(this.live, replay.start, replay.end)
      : new Player(replay.start, replay.end);
    this.plots = new Plots(byId('plots'), replay, (time) => this.scrub(time));
    this.picker = new Picker(replay, this.world, this.view, this.canvas, this.stage);
    this.selection = new SelectionCard(replay, this.world, this.picker);
    this.controls = new Controls(this);
    if (!this.live) return;
    const { canvas, stage, view, world, picker } = this;
    this.drag = new Drag(canvas, stage, view, world, picker, this.live);
    this.world.scene.add(this.drag);
    this.actuators = new ActuatorPanel(this.live);
  }

  // Bodies are pulled by dragging, without a key.
  pullAlways(on: boolean): void {
    if (this.drag) this.drag.always = on;
  }

  start(): void {
    this.applyAddress();
    this.resize();
    this.frameAll();
    this.applyCamera();
    this.seeInside();
    this.player.onchange = () => this.update();
    this.view.controls.addEventListener('change', () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(this.stage);
    window.addEventListener('hashchange', () => this.applyAddress());
    this.listen();
    this.replay.source.subscribe(() => this.grow());
    void this.world.looks.textures.loaded.then(() => {
      this.complete = true;
      this.redraw();
    });
    this.update();
    this.render();
    requestAnimationFrame((now) => this.tick(now));
  }

  redraw(): void {
    this.dirty = true;
  }

  // After frames have come.
  grow(): void {
    this.contacts.grow();
    this.pressure.grow();
    this.world.skins.grow();
    if (this.player instanceof LivePlayer) this.player.sync();
    this.player.extend(this.replay.start, this.replay.end);
    const wait = this.live ? this.slowGrowth + slowGrowthPeriod - performance.now() : 0;
    if (wait <= 0) this.growSlowly();
    else this.laterGrowth ||= window.setTimeout(() => this.growSlowly(), wait);
  }

  private growSlowly(): void {
    window.clearTimeout(this.laterGrowth);
    this.laterGrowth = 0;
    this.slowGrowth = performance.now();
    this.plots.grow();
    this.controls.grow();
  }

  // At a time, drawn when this returns.
  showAt(time: number): void {
    this.scrub(time);
    this.render();
  }

  // Where a body's origin is on the page [pixels]; null: behind the camera.
  projectBody(body: number, run?: number): [number, number] | null {
    return this.view.project(this.bodyPoint(body, this.after, run));
  }

  positionOf(body: number): number[] {
    return this.bodyPoint(body, this.after).toArray();
  }

  get drawn(): { triangles: number; calls: number } {
    const { triangles, calls } = this.renderer.info.render;
    return { triangles, calls };
  }

  // While someone scrubs, the replay stands still.
  scrub(time: number): void {
    this.player.pause();
    this.player.seek(time);
  }

  step(frames: number): void {
    if (frames > 0 && this.player.stepOn()) return;
    const { timeline } = this.replay;
    const frame = timeline.nearest(this.player.time) + frames;
    const inside = Math.min(timeline.frameCount - 1, Math.max(0, frame));
    this.scrub(timeline.frames.time[inside]);
  }

  // Everything in the picture, between the cards.
  frameAll(direction?: Vector3): void {
    const width = (id: string) => (byId<HTMLDetailsElement>(id).open ? byId(id).offsetWidth : 0);
    this.view.frame(direction, { left: width('summary'), right: width('view') });
    this.redraw();
  }

  setGeometry(mode: GeometryMode): void {
    this.world.setMode(mode);
    this.redraw();
  }

  // After a change of which runs are shown.
  showRuns(): void {
    this.world.showRuns();
    this.plots.showRuns();
    this.update();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.world.restyle(themes[theme].ground, theme === 'dark');
    this.room.dim(themes[theme].room);
    this.contacts.restyle(themes[theme].contacts);
    this.plots.restyle();
    this.redraw();
  }

  toggleTheme(): void {
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
  }

  showNames(shown: boolean): void {
    this.picker.showNames(shown);
    this.redraw();
  }

  follow(following: boolean): void {
    this.following = following;
    if (following && this.selected < 0) {
      this.select(this.firstMoving());
      this.chosenToFollow = this.selected;
    }
    if (!following) {
      this.view.release();
      if (this.selected === this.chosenToFollow) this.select(-1);
      this.chosenToFollow = -1;
    } else if (this.selected >= 0) {
      this.view.follow(this.bodyPoint(this.selected, this.after));
    }
    this.redraw();
  }

  get selected(): number {
    return this.selection.body;
  }

  select(body: number): void {
    this.selection.chooseBody(body);
    this.world.select(body);
    this.selection.show(this.player.time);
    this.redraw();
  }

  private selectContact(contact: ContactHit): void {
    this.selection.chooseContact(contact);
    this.world.select(-1);
    this.selection.show(this.player.time);
    this.redraw();
  }

  savePicture(): void {
    this.render();
    const link = document.createElement('a');
    link.download = `${this.replay.scene.title || 'replay'}-${this.player.time.toFixed(3)}s.png`;
    link.href = this.canvas.toDataURL('image/png');
    link.click();
  }

  // Everything that depends on time.
  update(): void {
    if (this.following && this.selected >= 0) this.bodyPoint(this.selected, this.before);
    this.world.pose(this.player.time);
    if (this.following && this.selected >= 0)
      this.view.moveAlong(this.bodyPoint(this.selected, this.after).sub(this.before));
    this.contacts.show(this.player.time);
    this.pressure.show(this.player.time);
    this.showPressureLegend();
    this.showStressLegend();
    this.showConeLegend();
    this.plots.show(this.player.time);
    this.drag?.show();
    this.actuators?.show();
    this.controls.showTime();
    this.selection.show(this.player.time);
    this.redraw();
  }

  private tick(now: number): void {
    const seconds = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.player.advance(seconds);
    if (this.dirty) this.render();
    requestAnimationFrame((next) => this.tick(next));
  }

  private render(): void {
    this.dirty = false;
    this.view.update();
    this.world.light(this.view.target, this.view.distance);
    this.renderer.render(this.world.scene, this.view.camera);
    this.picker.placeNames();
    this.showLegend();
  }

  private resize(): void {
    this.renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight, false);
    this.view.resize();
    this.render();
  }

  private bodyPoint(body: number, target: Vector3, run = this.replay.front.index): Vector3 {
    return target.setFromMatrixPosition(this.world.bodies[run][body].matrixWorld);
  }

  private firstMoving(): number {
    return this.replay.scene.bodies.findIndex((body) => body.track >= 0);
  }

  // A bar as long as an arrow of a round number of newtons at the centre of the view.
  private showLegend(): void {
    const legend = byId('legend');
    legend.hidden = !this.contacts.showForces || this.contacts.typicalForce === 0;
    if (legend.hidden) return;
    const pixels = this.contacts.metresPerNewton * this.view.pixelsPerMetre();
    const newtons = roundDown(110 / pixels);
    byId('legend-length').style.width = `${newtons * pixels}px`;
    byId('legend-text').textContent = quantity(newtons, 'N');
    const colours = themes[this.theme].contacts;
    byId('legend-colours').hidden = !this.contacts.splitForces;
    byId('legend-length').style.setProperty(
      '--force',
      this.contacts.splitForces ? colours.normal : colours.force,
    );
    byId('normal-colour').style.background = colours.normal;
    byId('friction-colour').style.background = colours.friction;
    const { runs } = this.replay;
    const hidden = runs.reduce(
      (sum, run) => sum + (run.shown ? run.at(this.player.time).contacts.leftOut : 0),
      0,
    );
    byId('legend-note').textContent = hidden > 0 ? `${hidden} weaker contacts are not shown` : '';
  }

  // The bar of pressures, from 0 to what nearly all lie below.
  private showPressureLegend(): void {
    const { pressure } = this;
    const legend = byId('pressure-legend');
    legend.hidden = !pressure.shown || pressure.most === 0;
    if (legend.hidden) return;
    byId('pressure-bar').style.background = valueGradient;
    byId('pressure-half').textContent = quantity(pressure.most / 2, 'Pa');
    byId('pressure-most').textContent = quantity(pressure.most, 'Pa');
  }

  // The bar of stresses in deformable bodies.
  private showStressLegend(): void {
    const { skins } = this.world;
    const legend = byId('stress-legend');
    legend.hidden = !skins.byStress || !skins.hasBodies;
    if (legend.hidden) return;
    byId('stress-bar').style.background = valueGradient;
    byId('stress-half').textContent = quantity(skins.most / 2, 'Pa');
    byId('stress-most').textContent = quantity(skins.most, 'Pa');
  }

  // The bar of colours of points by how much of the friction cone they use.
  private showConeLegend(): void {
    byId('cone-legend').hidden = !this.contacts.byCone || !this.contacts.showPoints;
    byId('cone-bar').style.background = coneGradient;
  }

  private listen(): void {
    let pressed: [number, number] | null = null;
    this.canvas.addEventListener(
      'pointerdown',
      (event) => (pressed = [event.clientX, event.clientY]),
    );
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons === 0) this.point(event.clientX, event.clientY);
      else this.hover.hidden = true;
    });
    this.canvas.addEventListener('pointerleave', () => (this.hover.hidden = true));
    this.canvas.addEventListener('click', (event) => {
      if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
      const { clientX: x, clientY: y } = event;
      const contact = this.contacts.showPoints && this.picker.contact(x, y, this.player.time);
      if (contact) this.selectContact(contact);
      else this.select(this.picker.body(x, y)?.body ?? -1);
    });
    this.canvas.addEventListener('dblclick', (event) => {
      const hit = this.picker.body(event.clientX, event.clientY);
      if (hit) this.view.centreOn(this.bodyPoint(hit.body, this.after, hit.run.index));
      this.redraw();
    });
  }

  private point(x: number, y: number): void {
    const contact = this.contacts.showPoints ? this.picker.contact(x, y, this.player.time) : null;
    const hit = contact ? null : this.picker.body(x, y);
    this.hover.hidden = !contact && !hit;
    if (this.hover.hidden) return;
    this.hover.textContent = contact
      ? this.picker.contactText(contact)
      : this.picker.bodyText(hit!);
    const rect = this.stage.getBoundingClientRect();
    const left = Math.min(x - rect.left + 14, rect.width - this.hover.offsetWidth - 6);
    const top = Math.max(4, y - rect.top - this.hover.offsetHeight - 8);
    this.hover.style.transform = `translate(${left}px, ${top}px)`;
  }

  // ?t=1.5 or #t=1.5&autoplay&theme=light&geometry=collision&ui=none&plots=0
  private applyAddress(): void {
    const words = addressWords();
    const prefersLight = window.matchMedia('(prefers-color-scheme: light)').matches;
    this.setTheme(
      words.get('theme') === 'light' || (!words.has('theme') && prefersLight) ? 'light' : 'dark',
    );
    if (words.get('ui') === 'none') document.documentElement.dataset.ui = 'none';
    this.controls.apply(words);
    if (words.has('t')) this.player.seek(Number(words.get('t')));
    if (words.has('autoplay')) this.player.playing = true;
  }

  // What stands is seen through where it hides most of what moves, unless the address decides.
  private seeInside(): void {
    if (addressWords().has('through')) return;
    if (this.picker.coveredShare(this.replay.end) > 0.5) this.controls.flip('through', true);
  }

  private applyCamera(): void {
    const camera = cameraOf(addressWords());
    if (!camera) return;
    this.view.camera.position.fromArray(camera, 0);
    this.view.target.fromArray(camera, 3);
    this.view.update();
  }
}
