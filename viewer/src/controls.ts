// Buttons, switches, keys and the summary: what the page shows around the scene.
import { Vector3 } from 'three';
import type { App } from './app';
import { speeds } from './player';
import { quantity } from './units';
import type { GeometryMode } from './world';

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

const playIcon = 'M7 4v16l13-8z';
const pauseIcon = 'M6 4h4v16H6zM14 4h4v16h-4z';
const modes: GeometryMode[] = ['visual', 'collision', 'both'];

interface Key {
  keys: string[]; // KeyboardEvent.key
  shown: string;
  text: string;
  act: (event: KeyboardEvent) => void;
}

export class Controls {
  private readonly keys: Key[];
  private readonly runBoxes: HTMLInputElement[] = []; // (runs), none where there is one
  private mode: GeometryMode;

  constructor(private readonly app: App) {
    this.mode = app.world.hasVisual ? 'visual' : 'collision';
    this.keys = this.makeKeys();
    this.fillSummary();
    this.makeRuns();
    this.wirePlayback();
    this.wireView();
    this.wireKeys();
    this.setGeometry(this.mode);
  }

  showTime(): void {
    const { player } = this.app;
    byId<HTMLInputElement>('scrub').value = String(player.time);
    byId('clock').textContent = `${player.time.toFixed(3)} / ${player.end.toFixed(2)} s`;
    byId('play-icon').setAttribute('d', player.playing ? pauseIcon : playIcon);
    byId('play').setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    byId('loop').setAttribute('aria-pressed', String(player.loop));
    byId<HTMLSelectElement>('speed').value = String(player.speed);
  }

  // Words of the address: geometry=collision, plots=0, forces=0, speed=0.5, ...
  apply(words: Map<string, string>): void {
    const mode = modes.find((candidate) => candidate === words.get('geometry'));
    if (mode) this.setGeometry(mode);
    if (words.has('plots')) this.showPlots(words.get('plots') !== '0');
    for (const id of ['forces', 'split', 'points', 'frames', 'names', 'grid', 'follow'])
      if (words.has(id)) this.flip(id, words.get(id) !== '0');
    const names = words.get('runs')?.split(',');
    if (names && this.runBoxes.length > 0) this.showRuns((index) => names.includes(this.app.replay.runs[index].name));
    const speed = Number(words.get('speed'));
    if (speeds.includes(speed)) this.app.player.speed = speed;
  }

  private fillSummary(): void {
    const { replay, world } = this.app;
    const { scene, runs, timeline } = replay;
    const distinct = (values: string[]) => [...new Set(values)].join(', ');
    const title = scene.title || 'replay';
    document.title = `${title} – Limpet replay`;
    byId('title').textContent = title;
    const moving = scene.bodies.filter((body) => body.track >= 0).length;
    const facts: [string, string][] = [
      ['duration', `${(replay.end - replay.start).toFixed(2)} s, ${timeline.frameCount} frames`],
      ['time step', distinct(runs.map(({ entry }) => (entry.time_step > 0 ? quantity(entry.time_step, 's') : '')))],
      ['scheme', distinct(runs.map((run) => run.entry.scheme))],
      [runs.length > 1 ? 'contact models' : 'contact model', distinct(runs.map((run) => run.entry.contact_model))],
      ['bodies', `${moving} moving, ${scene.nv} velocities`],
      ['controls', scene.nu > 0 ? String(scene.nu) : ''],
      ['version', `limpet ${scene.version}`],
    ];
    for (const [name, value] of facts) {
      if (!value) continue;
      const term = document.createElement('dt');
      const text = document.createElement('dd');
      term.textContent = name;
      text.textContent = value;
      byId('facts').append(term, text);
    }
    byId('geometry').hidden = !(world.hasVisual && world.hasCollision);
    if (window.innerWidth < 1000 || window.innerHeight < 600)
      for (const id of ['summary', 'view']) byId(id).removeAttribute('open');
  }

  // One switch for each run, where there are several: legend of the colours, too.
  private makeRuns(): void {
    const { runs } = this.app.replay;
    byId('runs').hidden = runs.length < 2;
    if (runs.length < 2) return;
    for (const run of runs) {
      const label = document.createElement('label');
      const box = document.createElement('input');
      const swatch = document.createElement('i');
      box.type = 'checkbox';
      box.checked = true;
      box.addEventListener('change', () => {
        run.shown = box.checked;
        this.app.showRuns();
      });
      this.runBoxes.push(box);
      swatch.style.background = `var(${run.colour})`;
      label.title = run.index === 0 ? 'in the colours of the model' : 'tinted';
      label.append(box, swatch, run.name);
      byId('runs').append(label);
    }
  }

  private showRuns(shown: (index: number) => boolean): void {
    this.app.replay.runs.forEach((run, index) => (run.shown = this.runBoxes[index].checked = shown(index)));
    this.app.showRuns();
  }

  // Each run alone, one after the other, then all.
  private nextRun(): void {
    const { runs } = this.app.replay;
    if (runs.length < 2) return;
    const alone = runs.filter((run) => run.shown).length === 1 ? runs.findIndex((run) => run.shown) : -1;
    this.showRuns((index) => alone === runs.length - 1 || index === alone + 1);
  }

  private wirePlayback(): void {
    const { app } = this;
    const { player } = app;
    const scrub = byId<HTMLInputElement>('scrub');
    scrub.min = String(player.start);
    scrub.max = String(player.end);
    scrub.addEventListener('input', () => app.scrub(Number(scrub.value)));
    byId('play').addEventListener('click', () => player.toggle());
    byId('to-start').addEventListener('click', () => app.scrub(player.start));
    byId('back').addEventListener('click', () => app.step(-1));
    byId('forward').addEventListener('click', () => app.step(1));
    byId('loop').addEventListener('click', () => this.toggleLoop());
    byId('plots-button').addEventListener('click', () => this.togglePlots());
    const speed = byId<HTMLSelectElement>('speed');
    for (const value of speeds) speed.add(new Option(`${value}×`, String(value)));
    speed.addEventListener('change', () => {
      player.speed = Number(speed.value);
      player.onchange();
    });
  }

  private wireView(): void {
    const { app } = this;
    const { contacts } = app;
    const onChange = (id: string, act: (on: boolean) => void) =>
      byId<HTMLInputElement>(id).addEventListener('change', (event) => {
        act((event.target as HTMLInputElement).checked);
        app.update();
      });
    onChange('forces', (on) => (contacts.showForces = on));
    onChange('split', (on) => (contacts.splitForces = on));
    onChange('points', (on) => (contacts.showPoints = on));
    onChange('frames', (on) => app.world.showAxes(on));
    onChange('names', (on) => app.showNames(on));
    onChange('grid', (on) => app.world.showGrid(on));
    onChange('follow', (on) => app.follow(on));
    const scale = byId<HTMLInputElement>('force-scale');
    scale.addEventListener('input', () => {
      contacts.setScale(10 ** Number(scale.value));
      app.update();
    });
    for (const button of byId('geometry').querySelectorAll('button')) {
      button.setAttribute('role', 'radio');
      button.addEventListener('click', () => this.setGeometry(button.dataset.mode as GeometryMode));
    }
    byId('reset-camera').addEventListener('click', () => this.frameAll());
    byId('theme').addEventListener('click', () => app.toggleTheme());
    byId('save').addEventListener('click', () => app.savePicture());
    byId('help-button').addEventListener('click', () => byId<HTMLDialogElement>('help').showModal());
  }

  private setGeometry(mode: GeometryMode): void {
    this.mode = mode;
    this.app.setGeometry(mode);
    for (const button of byId('geometry').querySelectorAll('button'))
      button.setAttribute('aria-checked', String(button.dataset.mode === mode));
  }

  private frameAll(direction?: Vector3): void {
    this.app.view.frame(direction);
    this.app.redraw();
  }

  private toggleLoop(): void {
    this.app.player.loop = !this.app.player.loop;
    this.app.player.onchange();
  }

  private togglePlots(): void {
    this.showPlots(byId('plots').hidden);
  }

  private showPlots(shown: boolean): void {
    byId('plots').hidden = !shown;
    byId('plots-button').setAttribute('aria-pressed', String(shown));
    this.app.plots.resize();
  }

  // A switch as if it had been clicked.
  private flip(id: string, on?: boolean): void {
    const box = byId<HTMLInputElement>(id);
    box.checked = on ?? !box.checked;
    box.dispatchEvent(new Event('change'));
  }

  private makeKeys(): Key[] {
    const { app } = this;
    const { player } = app;
    const length = player.end - player.start;
    const nextMode = () => this.setGeometry(modes[(modes.indexOf(this.mode) + 1) % modes.length]);
    const jump = (event: KeyboardEvent, sign: number) =>
      event.shiftKey ? app.scrub(player.time + sign * 0.1 * length) : app.step(sign);
    return [
      { keys: [' '], shown: 'Space', text: 'play, pause', act: () => player.toggle() },
      { keys: ['ArrowLeft'], shown: '←', text: 'one frame back; with Shift a tenth of the run', act: (e) => jump(e, -1) },
      { keys: ['ArrowRight'], shown: '→', text: 'one frame on; with Shift a tenth of the run', act: (e) => jump(e, 1) },
      { keys: ['Home', 'Backspace'], shown: 'Home', text: 'to the start', act: () => app.scrub(player.start) },
      { keys: ['End'], shown: 'End', text: 'to the end', act: () => app.scrub(player.end) },
      { keys: ['-', '_'], shown: '−', text: 'slower', act: () => player.faster(-1) },
      { keys: ['+', '='], shown: '+', text: 'faster', act: () => player.faster(1) },
      { keys: ['l'], shown: 'L', text: 'play again at the end', act: () => this.toggleLoop() },
      { keys: ['c'], shown: 'C', text: 'visual geometry, collision geometry, both', act: nextMode },
      { keys: ['a'], shown: 'A', text: 'contact forces', act: () => this.flip('forces') },
      { keys: ['n'], shown: 'N', text: 'normal forces and friction apart', act: () => this.flip('split') },
      { keys: ['o'], shown: 'O', text: 'contact points', act: () => this.flip('points') },
      { keys: ['b'], shown: 'B', text: 'frames of bodies (x red, y green, z blue)', act: () => this.flip('frames') },
      { keys: ['m'], shown: 'M', text: 'names of bodies', act: () => this.flip('names') },
      { keys: ['g'], shown: 'G', text: 'grid and shadows', act: () => this.flip('grid') },
      { keys: ['f'], shown: 'F', text: 'follow the selected body', act: () => this.flip('follow') },
      { keys: ['r'], shown: 'R', text: 'frame everything', act: () => this.frameAll() },
      { keys: ['1'], shown: '1', text: 'from the front (along −x)', act: () => this.frameAll(new Vector3(1, 0, 0.05)) },
      { keys: ['2'], shown: '2', text: 'from the side (along y)', act: () => this.frameAll(new Vector3(0, -1, 0.05)) },
      { keys: ['3'], shown: '3', text: 'from above', act: () => this.frameAll(new Vector3(0, -0.01, 1)) },
      { keys: ['v'], shown: 'V', text: 'each run alone, then all (where several are compared)', act: () => this.nextRun() },
      { keys: ['t'], shown: 'T', text: 'dark or light', act: () => app.toggleTheme() },
      { keys: ['p'], shown: 'P', text: 'plots', act: () => this.togglePlots() },
      { keys: ['s'], shown: 'S', text: 'save a picture', act: () => app.savePicture() },
      { keys: ['?', 'h'], shown: '?', text: 'this list', act: () => byId<HTMLDialogElement>('help').showModal() },
    ];
  }

  private wireKeys(): void {
    const table = byId<HTMLTableElement>('keys');
    for (const { shown, text } of this.keys) {
      const row = table.insertRow();
      const key = document.createElement('kbd');
      key.textContent = shown;
      row.insertCell().append(key);
      row.insertCell().textContent = text;
    }
    window.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      const typing = target.tagName === 'SELECT' || byId<HTMLDialogElement>('help').open;
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const key = this.keys.find((candidate) => candidate.keys.includes(name));
      if (!key) return;
      event.preventDefault();
      key.act(event);
    });
  }
}
