// Keys: what each does, and the list of them.
import { Vector3 } from 'three';
import type { Desk, Panel } from './desk';
import { byId } from './dom';

interface Key {
  keys: string[]; // KeyboardEvent.key
  shown: string;
  text: string;
  act: (event: KeyboardEvent) => void;
}

function keysOf(desk: Desk, panel: Panel): Key[] {
  const { player } = desk;
  const length = () => player.end - player.start;
  const jump = (event: KeyboardEvent, sign: number) =>
    event.shiftKey ? desk.scrub(player.time + sign * 0.1 * length()) : desk.step(sign);
  return [
    { keys: [' '], shown: 'Space', text: 'play, pause', act: () => player.toggle() },
    {
      keys: ['ArrowLeft'],
      shown: '←',
      text: 'one frame back; with Shift a tenth of the run',
      act: (e) => jump(e, -1),
    },
    {
      keys: ['ArrowRight'],
      shown: '→',
      text: 'one frame on; with Shift a tenth of the run',
      act: (e) => jump(e, 1),
    },
    {
      keys: ['Home', 'Backspace'],
      shown: 'Home',
      text: 'to the start',
      act: () => desk.scrub(player.start),
    },
    { keys: ['End'], shown: 'End', text: 'to the end', act: () => desk.scrub(player.end) },
    { keys: ['-', '_'], shown: '−', text: 'slower', act: () => player.faster(-1) },
    { keys: ['+', '='], shown: '+', text: 'faster', act: () => player.faster(1) },
    { keys: ['0'], shown: '0', text: 'live: back to the start', act: () => player.reset() },
    {
      keys: ['d'],
      shown: 'D',
      text: 'live: pull bodies by dragging (with Ctrl at any time)',
      act: () => panel.flip('pull'),
    },
    { keys: ['l'], shown: 'L', text: 'play again at the end', act: () => panel.toggleLoop() },
    {
      keys: ['c'],
      shown: 'C',
      text: 'visual geometry, collision geometry, both',
      act: () => panel.nextMode(),
    },
    { keys: ['a'], shown: 'A', text: 'contact forces', act: () => panel.flip('forces') },
    {
      keys: ['n'],
      shown: 'N',
      text: 'normal forces and friction apart',
      act: () => panel.flip('split'),
    },
    { keys: ['o'], shown: 'O', text: 'contact points', act: () => panel.flip('points') },
    { keys: ['u'], shown: 'U', text: 'pressure on surfaces', act: () => panel.flip('pressure') },
    {
      keys: ['y'],
      shown: 'Y',
      text: 'stress in deformable bodies',
      act: () => panel.flip('stress'),
    },
    {
      keys: ['b'],
      shown: 'B',
      text: 'frames of bodies (x red, y green, z blue)',
      act: () => panel.flip('frames'),
    },
    { keys: ['m'], shown: 'M', text: 'names of bodies', act: () => panel.flip('names') },
    { keys: ['g'], shown: 'G', text: 'grid and shadows', act: () => panel.flip('grid') },
    {
      keys: ['w'],
      shown: 'W',
      text: 'see through what stands',
      act: () => panel.flip('through'),
    },
    { keys: ['e'], shown: 'E', text: 'edges of bodies', act: () => panel.flip('edges') },
    { keys: ['k'], shown: 'K', text: 'a colour for each body', act: () => panel.flip('coloured') },
    {
      keys: ['x'],
      shown: 'X',
      text: 'contact points through what covers them',
      act: () => panel.flip('covered'),
    },
    {
      keys: ['q'],
      shown: 'Q',
      text: 'contact points coloured by use of the friction cone',
      act: () => panel.flip('cone'),
    },
    { keys: ['j'], shown: 'J', text: 'joint axes', act: () => panel.flip('axes') },
    { keys: ['.'], shown: '.', text: 'centres of mass', act: () => panel.flip('centres') },
    { keys: ['z'], shown: 'Z', text: 'wireframe', act: () => panel.flip('wire') },
    { keys: ['6'], shown: '6', text: 'see through what moves', act: () => panel.flip('glass') },
    {
      keys: ['i'],
      shown: 'I',
      text: 'hide the selected body; with Shift show all',
      act: (e) => (e.shiftKey ? panel.showAllBodies() : panel.hideSelected()),
    },
    {
      keys: ['5'],
      shown: '5',
      text: 'clip above x, below x, above y, …, off',
      act: () => panel.nextClip(),
    },
    { keys: [','], shown: ',', text: 'textures', act: () => panel.flip('textures') },
    { keys: ['/'], shown: '/', text: 'plot a signal by its name', act: () => panel.findSignal() },
    { keys: ['f'], shown: 'F', text: 'follow the selected body', act: () => panel.flip('follow') },
    { keys: ['r'], shown: 'R', text: 'frame everything', act: () => panel.frameAll() },
    {
      keys: ['1'],
      shown: '1',
      text: 'from the front (along −x)',
      act: () => panel.frameAll(new Vector3(1, 0, 0.05)),
    },
    {
      keys: ['2'],
      shown: '2',
      text: 'from the side (along y)',
      act: () => panel.frameAll(new Vector3(0, -1, 0.05)),
    },
    {
      keys: ['3'],
      shown: '3',
      text: 'from above',
      act: () => panel.frameAll(new Vector3(0, -0.01, 1)),
    },
    {
      keys: ['v'],
      shown: 'V',
      text: 'each run alone, then all (where several are compared)',
      act: () => panel.nextRun(),
    },
    { keys: ['t'], shown: 'T', text: 'dark or light', act: () => desk.toggleTheme() },
    { keys: ['p'], shown: 'P', text: 'plots', act: () => panel.togglePlots() },
    { keys: ['s'], shown: 'S', text: 'save a picture', act: () => desk.savePicture() },
    {
      keys: ['?', 'h'],
      shown: '?',
      text: 'this list',
      act: () => byId<HTMLDialogElement>('help').showModal(),
    },
  ];
}

function listKeys(keys: Key[]): void {
  const table = byId<HTMLTableElement>('keys');
  for (const { shown, text } of keys) {
    const row = table.insertRow();
    const key = document.createElement('kbd');
    key.textContent = shown;
    row.insertCell().append(key);
    row.insertCell().textContent = text;
  }
}

const isSlider = (target: HTMLElement) =>
  (target as HTMLInputElement).type === 'range' && target.id !== 'scrub';

// Who comes to a slider by Tab moves it by its keys; after the mouse, keys are those of the page.
const movesSlider = (target: HTMLElement, key: string) =>
  isSlider(target) && /^(Arrow|Home|End|Page)/.test(key);

export function wireKeys(desk: Desk, panel: Panel): void {
  const keys = keysOf(desk, panel);
  listKeys(keys);
  window.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const typing =
      target.tagName === 'SELECT' ||
      (target as HTMLInputElement).type === 'search' ||
      byId<HTMLDialogElement>('help').open;
    if (movesSlider(target, event.key)) return;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const key = keys.find((candidate) => candidate.keys.includes(name));
    if (!key) return;
    event.preventDefault();
    key.act(event);
  });
  window.addEventListener('pointerup', ({ target }) => {
    if (isSlider(target as HTMLElement)) (target as HTMLElement).blur();
  });
}
