// Buttons and switches: what the page shows around the scene.
import type { Vector3 } from 'three';
import type { Desk, Panel } from './desk';
import { byId } from './dom';
import { wireKeys } from './keys';
import { LiveSource } from './live';
import { speeds } from './player';
import { SignalSearch } from './search';
import { closeInSmallWindows, fillSummary } from './summary';
import type { GeometryMode } from './world';

const playIcon = 'M7 4v16l13-8z';
const pauseIcon = 'M6 4h4v16H6zM14 4h4v16h-4z';
const modes: GeometryMode[] = ['visual', 'collision', 'both'];

// switches that the address can set
const switches = [
  ...['forces', 'split', 'points', 'covered', 'pressure', 'frames', 'names', 'grid'],
  ...['through', 'edges', 'coloured', 'follow', 'cone', 'axes', 'centres', 'wire', 'glass'],
  ...['textures', 'sky', 'stress', 'tendons'],
];

export class Controls implements Panel {
  private readonly runBoxes: HTMLInputElement[] = []; // (runs), none where there is one
  private readonly search: SignalSearch;
  private mode: GeometryMode;

  constructor(private readonly desk: Desk) {
    this.mode = desk.world.hasVisual ? 'visual' : 'collision';
    fillSummary(desk);
    closeInSmallWindows();
    this.makeRuns();
    this.wirePlayback();
    this.wireView();
    this.search = new SignalSearch(desk.plots, () => this.showPlots(true));
    this.wireHiding();
    wireKeys(desk, this);
    this.setGeometry(this.mode);
  }

  // After frames have come.
  grow(): void {
    const scrub = byId<HTMLInputElement>('scrub');
    scrub.min = String(this.desk.player.start);
    scrub.max = String(this.desk.player.end);
    scrub.value = String(this.desk.player.time);
    fillSummary(this.desk);
  }

  showTime(): void {
    const { player } = this.desk;
    const { outcome } = this.desk.replay.front.at(player.time);
    byId('outcome').textContent = outcome === 'solved' ? '' : outcome;
    byId<HTMLInputElement>('scrub').value = String(player.time);
    byId('clock').textContent = this.clockText();
    this.showLive();
    byId('play-icon').setAttribute('d', player.playing ? pauseIcon : playIcon);
    byId('play').setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    byId('loop').setAttribute('aria-pressed', String(player.loop));
    byId<HTMLSelectElement>('speed').value = String(player.speed);
  }

  private clockText(): string {
    const { player, replay } = this.desk;
    const { source } = replay;
    if (!(source instanceof LiveSource))
      return `${player.time.toFixed(3)} / ${player.end.toFixed(2)} s`;
    const rate = source.state.playing ? `${source.state.rate.toFixed(2)}× real time` : 'paused';
    return `${player.time.toFixed(3)} s  ${rate}`;
  }

  // What a live view has instead of the loop, and what its program decides.
  private showLive(): void {
    const { source } = this.desk.replay;
    const live = source instanceof LiveSource;
    byId('loop').hidden = live;
    byId('reset').hidden = byId('pull-row').hidden = !live;
    if (!live) return;
    const { running, outcome } = source.state;
    for (const id of ['play', 'reset', 'speed', 'forward'])
      byId<HTMLButtonElement>(id).disabled = !running;
    byId('reset').hidden = !running;
    if (outcome !== 'solved') byId('outcome').textContent = outcome;
  }

  // Words of the address: geometry=collision, plots=0, forces=0, speed=0.5, ...
  apply(words: Map<string, string>): void {
    const mode = modes.find((candidate) => candidate === words.get('geometry'));
    if (mode) this.setGeometry(mode);
    if (words.has('plots')) this.showPlots(words.get('plots') !== '0');
    for (const name of words.get('plot')?.split('|') ?? []) this.desk.plots.add(name);
    for (const name of words.get('hide')?.split('|') ?? []) this.hideNamed(name);
    if (words.has('clip')) this.applyClip(words.get('clip')!);
    for (const id of switches)
      if (words.has(id)) this.flip(id, words.get(id) !== '0');
    const names = words.get('runs')?.split(',');
    if (names && this.runBoxes.length > 0)
      this.showRuns((index) => names.includes(this.desk.replay.runs[index].name));
    const speed = Number(words.get('speed'));
    if (speeds.includes(speed)) this.desk.player.choose(speed);
  }

  // One switch for each run, where there are several: legend of the colours, too.
  private makeRuns(): void {
    const { runs } = this.desk.replay;
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
        this.desk.showRuns();
      });
      this.runBoxes.push(box);
      swatch.style.background = `var(${run.colour})`;
      label.title = run.index === 0 ? 'in the colours of the model' : 'tinted';
      label.append(box, swatch, run.name);
      byId('runs').append(label);
    }
  }

  private showRuns(shown: (index: number) => boolean): void {
    this.desk.replay.runs.forEach(
      (run, index) => (run.shown = this.runBoxes[index].checked = shown(index)),
    );
    this.desk.showRuns();
  }

  // Each run alone, one after the other, then all.
  nextRun(): void {
    const { runs } = this.desk.replay;
    if (runs.length < 2) return;
    const alone =
      runs.filter((run) => run.shown).length === 1 ? runs.findIndex((run) => run.shown) : -1;
    this.showRuns((index) => alone === runs.length - 1 || index === alone + 1);
  }

  private wirePlayback(): void {
    const { desk } = this;
    const { player } = desk;
    const scrub = byId<HTMLInputElement>('scrub');
    this.grow();
    scrub.addEventListener('input', () => desk.scrub(Number(scrub.value)));
    byId('play').addEventListener('click', () => player.toggle());
    byId('to-start').addEventListener('click', () => desk.scrub(player.start));
    byId('back').addEventListener('click', () => desk.step(-1));
    byId('forward').addEventListener('click', () => desk.step(1));
    byId('loop').addEventListener('click', () => this.toggleLoop());
    byId('plots-button').addEventListener('click', () => this.togglePlots());
    const speed = byId<HTMLSelectElement>('speed');
    for (const value of speeds) speed.add(new Option(`${value}×`, String(value)));
    speed.addEventListener('change', () => player.choose(Number(speed.value)));
    byId('reset').addEventListener('click', () => player.reset());
    const { still } = desk.replay;
    byId('transport').hidden = byId('selection-plot').hidden = still;
    if (still) this.showPlots(false);
  }

  private wireView(): void {
    const { desk } = this;
    const { contacts, pressure } = desk;
    const onChange = (id: string, act: (on: boolean) => void) =>
      byId<HTMLInputElement>(id).addEventListener('change', (event) => {
        act((event.target as HTMLInputElement).checked);
        desk.update();
      });
    onChange('forces', (on) => (contacts.showForces = on));
    onChange('split', (on) => (contacts.splitForces = on));
    onChange('points', (on) => (contacts.showPoints = on));
    onChange('covered', (on) => contacts.showCovered(on));
    onChange('pressure', (on) => (pressure.shown = on));
    onChange('stress', (on) => (desk.world.skins.byStress = on));
    onChange('tendons', (on) => (desk.world.skins.tendonsShown = on));
    byId('tendons-row').hidden = !desk.world.skins.hasTendons;
    onChange('cone', (on) => (contacts.byCone = on));
    for (const kind of ['frames', 'axes', 'centres'] as const)
      onChange(kind, (on) => desk.world.showMarks(kind, on));
    onChange('textures', (on) => desk.world.showTextures(on));
    onChange('sky', (on) => desk.world.showSky(on));
    byId('textures-row').hidden = !desk.world.looks.any;
    byId('sky-row').hidden = !desk.world.hasSky;
    onChange('wire', (on) => desk.world.showWire(on));
    onChange('glass', (on) => desk.world.showGlass(on));
    onChange('names', (on) => desk.showNames(on));
    onChange('grid', (on) => desk.world.showGrid(on));
    onChange('edges', (on) => desk.world.showEdges(on));
    onChange('coloured', (on) => desk.world.colourBodies(on));
    byId<HTMLInputElement>('edges').checked = desk.world.edgesShown;
    byId<HTMLInputElement>('coloured').checked = desk.world.bodiesColoured;
    onChange('through', (on) => desk.world.showThrough(on));
    onChange('follow', (on) => desk.follow(on));
    onChange('pull', (on) => desk.pullAlways(on));
    const scale = byId<HTMLInputElement>('force-scale');
    scale.addEventListener('input', () => {
      contacts.setScale(10 ** Number(scale.value));
      desk.update();
    });
    for (const button of byId('geometry').querySelectorAll('button')) {
      button.setAttribute('role', 'radio');
      button.addEventListener('click', () => this.setGeometry(button.dataset.mode as GeometryMode));
    }
    byId('reset-camera').addEventListener('click', () => this.frameAll());
    byId('theme').addEventListener('click', () => desk.toggleTheme());
    byId('save').addEventListener('click', () => desk.savePicture());
    byId('help-button').addEventListener('click', () =>
      byId<HTMLDialogElement>('help').showModal(),
    );
  }

  private wireHiding(): void {
    const { world, plots, replay } = this.desk;
    byId('hide').addEventListener('click', () => this.hideSelected());
    byId('unhide').addEventListener('click', () => this.showAllBodies());
    byId('selection-hide').addEventListener('click', () => this.hideSelected());
    byId('selection-follow').addEventListener('click', () => this.flip('follow', true));
    byId('selection-plot').addEventListener('click', () => {
      const name = replay.scene.bodyName(this.desk.selected);
      this.showPlots(true);
      for (const what of ['speed', 'z']) plots.add(`${what} of ${name}`);
    });
    for (const group of world.groups) this.addGroup(group);
    byId('groups').hidden = world.groups.length < 2;
    byId('clip-axis').addEventListener('change', () => this.clip());
    byId('clip-at').addEventListener('input', () => this.clip());
    this.showUnhide();
  }

  private addGroup(group: number): void {
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = true;
    box.id = `group-${group}`;
    box.addEventListener('change', () => {
      this.desk.world.showGroup(group, box.checked);
      this.desk.redraw();
    });
    label.append(box, String(group));
    byId('groups').append(label);
  }

  private showUnhide(): void {
    const count = this.desk.world.hiddenCount;
    byId<HTMLButtonElement>('unhide').disabled = count === 0;
    byId('unhide').textContent = count > 0 ? `show all (${count})` : 'show all';
  }

  hideSelected(): void {
    if (this.desk.selected < 0) return;
    this.desk.world.hideBody(this.desk.selected);
    this.desk.select(-1);
    this.showUnhide();
  }

  private hideNamed(name: string): void {
    const { scene } = this.desk.replay;
    scene.bodies.forEach((_body, body) => {
      if (scene.bodyName(body) === name) this.desk.world.hideBody(body);
    });
    this.showUnhide();
  }

  showAllBodies(): void {
    this.desk.world.showAllBodies();
    this.showUnhide();
    this.desk.redraw();
  }

  // The plane of the list, at the place of the slider, which reaches over all that is worth seeing.
  private clip(): void {
    const { center, radius } = this.desk.world.bounds;
    const word = byId<HTMLSelectElement>('clip-axis').value;
    const axis = word ? 'xyz'.indexOf(word[1]) : -1;
    const share = Number(byId<HTMLInputElement>('clip-at').value);
    const at = axis < 0 ? 0 : center.getComponent(axis) + share * radius;
    this.desk.world.clip(axis, word[0] === '+', at);
    byId('clip-at').parentElement!.hidden = axis < 0;
    byId('clip-text').textContent = axis < 0 ? '' : `${at.toFixed(3)} m`;
    this.desk.redraw();
  }

  // clip=+x,0.25: away with what is above x = 0.25 m
  private applyClip(text: string): void {
    const [word, place] = text.split(',');
    const { center, radius } = this.desk.world.bounds;
    const list = byId<HTMLSelectElement>('clip-axis');
    list.value = /^[-+]?[xyz]$/.test(word) ? (word.length === 1 ? `+${word}` : word) : '';
    const axis = 'xyz'.indexOf(list.value[1]);
    const share = place === undefined ? 0 : (Number(place) - center.getComponent(axis)) / radius;
    byId<HTMLInputElement>('clip-at').value = String(share);
    this.clip();
  }

  nextClip(): void {
    const list = byId<HTMLSelectElement>('clip-axis');
    list.selectedIndex = (list.selectedIndex + 1) % list.length;
    this.clip();
  }

  findSignal(): void {
    if (this.desk.replay.still) return;
    this.search.focus();
  }

  nextMode(): void {
    this.setGeometry(modes[(modes.indexOf(this.mode) + 1) % modes.length]);
  }

  setGeometry(mode: GeometryMode): void {
    this.mode = mode;
    this.desk.setGeometry(mode);
    for (const button of byId('geometry').querySelectorAll('button'))
      button.setAttribute('aria-checked', String(button.dataset.mode === mode));
  }

  frameAll(direction?: Vector3): void {
    this.desk.frameAll(direction);
  }

  toggleLoop(): void {
    this.desk.player.loop = !this.desk.player.loop;
    this.desk.player.onchange();
  }

  togglePlots(): void {
    this.showPlots(byId('plots').hidden);
  }

  private showPlots(wanted: boolean): void {
    const shown = wanted && !this.desk.replay.still;
    byId('plots').hidden = !shown;
    byId('plots-button').setAttribute('aria-pressed', String(shown));
    this.desk.plots.resize();
  }

  // A switch as if it had been clicked.
  flip(id: string, on?: boolean): void {
    const box = byId<HTMLInputElement>(id);
    box.checked = on ?? !box.checked;
    box.dispatchEvent(new Event('change'));
  }
}
