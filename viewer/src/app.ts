// The application: one replay, its scene, plots and controls, redrawn when something has changed.
import { NeutralToneMapping, PCFShadowMap, PMREMGenerator, Vector3, WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { View } from './camera';
import { ContactView } from './contacts';
import { Controls, byId } from './controls';
import type { Replay } from './data';
import { Picker } from './picking';
import { Player } from './player';
import { Plots } from './plots';
import { quantity, roundDown } from './units';
import { type GeometryMode, World } from './world';

const themes = {
  dark: {
    ground: { ground: '#3d4856', line: '#728299' },
    contacts: { force: '#ffb224', normal: '#4da3ff', friction: '#ff6b6b', point: '#ffe2a8' },
    environment: 0.7,
  },
  light: {
    ground: { ground: '#d3dae2', line: '#8796a8' },
    contacts: { force: '#e8590c', normal: '#1c6fe0', friction: '#d6293e', point: '#7a2e06' },
    environment: 0.45,
  },
};

export class App {
  readonly world: World;
  readonly contacts: ContactView;
  readonly view: View;
  readonly player: Player;
  readonly plots: Plots;
  private readonly renderer: WebGLRenderer;
  private readonly picker: Picker;
  private readonly controls: Controls;
  private readonly canvas = byId<HTMLCanvasElement>('canvas');
  private readonly stage = byId('stage');
  private readonly hover = byId('label');
  private readonly before = new Vector3();
  private readonly after = new Vector3();
  private theme: keyof typeof themes = 'dark';
  private selected = -1;
  private following = false;
  private dirty = true;
  private last = 0;

  constructor(readonly replay: Replay) {
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.world = new World(replay);
    this.world.scene.environment = new PMREMGenerator(this.renderer).fromScene(new RoomEnvironment(), 0.04).texture;
    this.world.scene.environmentRotation.set(Math.PI / 2, 0, 0);
    this.contacts = new ContactView(replay, this.world.bounds.radius);
    this.world.scene.add(this.contacts);
    this.view = new View(this.canvas, this.world.bounds);
    this.player = new Player(replay.start, replay.end);
    this.plots = new Plots(byId('plots'), replay, (time) => this.scrub(time));
    this.picker = new Picker(replay, this.world, this.view, this.canvas, this.stage);
    this.controls = new Controls(this);
  }

  start(): void {
    this.applyAddress();
    this.resize();
    this.view.frame();
    this.applyCamera();
    this.player.onchange = () => this.update();
    this.view.controls.addEventListener('change', () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(this.stage);
    window.addEventListener('hashchange', () => this.applyAddress());
    this.listen();
    this.update();
    this.render();
    this.publish();
    requestAnimationFrame((now) => this.tick(now));
  }

  redraw(): void {
    this.dirty = true;
  }

  // While someone scrubs, the replay stands still.
  scrub(time: number): void {
    this.player.playing = false;
    this.player.seek(time);
  }

  step(frames: number): void {
    const { timeline } = this.replay;
    const frame = timeline.nearest(this.player.time) + frames;
    this.scrub(timeline.time[Math.min(timeline.frameCount - 1, Math.max(0, frame))]);
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

  setTheme(theme: keyof typeof themes): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.world.restyle(themes[theme].ground, theme === 'dark');
    this.world.scene.environmentIntensity = themes[theme].environment;
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
    if (following && this.selected < 0) this.select(this.firstMoving());
    if (following && this.selected >= 0) this.view.centreOn(this.bodyPoint(this.selected, this.after));
    this.redraw();
  }

  select(body: number): void {
    this.selected = body;
    this.world.select(body);
    this.showSelection();
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
      this.view.move(this.bodyPoint(this.selected, this.after).sub(this.before));
    this.contacts.show(this.player.time);
    this.plots.show(this.player.time);
    this.controls.showTime();
    this.showSelection();
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
    byId('legend-length').style.setProperty('--force', this.contacts.splitForces ? colours.normal : colours.force);
    byId('normal-colour').style.background = colours.normal;
    byId('friction-colour').style.background = colours.friction;
    const { runs } = this.replay;
    const hidden = runs.reduce((sum, run) => sum + (run.shown ? run.contacts.leftOut[run.nearest(this.player.time)] : 0), 0);
    byId('legend-note').textContent = hidden > 0 ? `${hidden} weaker contacts are not shown` : '';
  }

  private showSelection(): void {
    const card = byId('selection');
    card.hidden = this.selected < 0;
    if (card.hidden) return;
    const { runs } = this.replay;
    const lines = runs.filter((run) => run.shown || runs.length === 1).map((run) => {
      const place = this.bodyPoint(this.selected, this.after, run.index).toArray();
      return `${place.map((value) => value.toFixed(4)).join('  ')} m${runs.length > 1 ? `  ${run.name}` : ''}`;
    });
    card.textContent = [this.replay.bodyName(this.selected), ...lines].join('\n');
  }

  private listen(): void {
    let pressed: [number, number] | null = null;
    this.canvas.addEventListener('pointerdown', (event) => (pressed = [event.clientX, event.clientY]));
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons === 0) this.point(event.clientX, event.clientY);
      else this.hover.hidden = true;
    });
    this.canvas.addEventListener('pointerleave', () => (this.hover.hidden = true));
    this.canvas.addEventListener('click', (event) => {
      if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
      this.select(this.picker.body(event.clientX, event.clientY)?.body ?? -1);
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
    this.hover.textContent = contact ? this.picker.contactText(contact) : this.picker.bodyText(hit!);
    const rect = this.stage.getBoundingClientRect();
    const left = Math.min(x - rect.left + 14, rect.width - this.hover.offsetWidth - 6);
    this.hover.style.transform = `translate(${left}px, ${Math.max(4, y - rect.top - this.hover.offsetHeight - 8)}px)`;
  }

  // ?t=1.5 or #t=1.5&autoplay&theme=light&geometry=collision&ui=none&plots=0
  private applyAddress(): void {
    const words = addressWords();
    const prefersLight = window.matchMedia('(prefers-color-scheme: light)').matches;
    this.setTheme(words.get('theme') === 'light' || (!words.has('theme') && prefersLight) ? 'light' : 'dark');
    if (words.get('ui') === 'none') document.documentElement.dataset.ui = 'none';
    this.controls.apply(words);
    if (words.has('t')) this.player.seek(Number(words.get('t')));
    if (words.has('autoplay')) this.player.playing = true;
  }

  // camera=x,y,z,x,y,z: where it is and what it looks at  [m]
  private applyCamera(): void {
    const numbers = (addressWords().get('camera') ?? '').split(',').map(Number);
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.view.camera.position.fromArray(numbers, 0);
    this.view.target.fromArray(numbers, 3);
    this.view.update();
  }

  // What tests and scripts use.
  private publish(): void {
    const app = this;
    window.limpet = {
      ready: true,
      frameCount: this.replay.timeline.frameCount,
      get runs() {
        return app.replay.runs.map((run) => ({ name: run.name, shown: run.shown, frameCount: run.frameCount }));
      },
      bodyNames: this.replay.scene.bodies.map((_body, index) => this.replay.bodyName(index)),
      get time() {
        return app.player.time;
      },
      get playing() {
        return app.player.playing;
      },
      seek(time: number) {
        app.scrub(time);
        app.render();
      },
      projectBody(name: string, run?: number) {
        const body = app.replay.scene.bodies.findIndex((_entry, index) => app.replay.bodyName(index) === name);
        return body < 0 ? null : app.view.project(app.bodyPoint(body, app.after, run));
      },
      // row-major world to clip coordinates, and the rectangle of the page that they map to
      camera() {
        const matrix = app.view.camera.projectionMatrix.clone().multiply(app.view.camera.matrixWorldInverse);
        const { left, top, width, height } = app.canvas.getBoundingClientRect();
        return { matrix: matrix.transpose().toArray(), rectangle: [left, top, width, height] };
      },
      statistics() {
        const { render } = app.renderer.info;
        return { triangles: render.triangles, calls: render.calls };
      },
    };
  }
}

function addressWords(): Map<string, string> {
  const words = new Map<string, string>();
  for (const text of [window.location.search.slice(1), window.location.hash.slice(1)])
    for (const [key, value] of new URLSearchParams(text)) words.set(key, value);
  return words;
}
