// The card at the upper left: what was simulated, and how.
import type { Desk } from './desk';
import { byId } from './dom';
import type { Replay } from './replay';
import { quantity } from './units';

const distinct = (values: string[]) => [...new Set(values.filter(Boolean))].join(', ');
const timeStep = (seconds: number) => (seconds > 0 ? quantity(seconds, 's') : '');

function durationText(replay: Replay): string {
  const count = replay.timeline.frameCount;
  if (replay.still) return `one frame, at ${replay.start.toFixed(2)} s`;
  return `${(replay.end - replay.start).toFixed(2)} s, ${count} frame${count === 1 ? '' : 's'}`;
}

export function fillSummary({ replay, world }: Desk): void {
  const { scene, runs } = replay;
  const title = scene.title || 'replay';
  document.title = `${title} – Limpet replay`;
  byId('title').textContent = title;
  const facts: [string, string][] = [
    ['duration', durationText(replay)],
    ['time step', distinct(runs.map((run) => timeStep(run.frames.timeStep)))],
    ['scheme', distinct(runs.map((run) => run.frames.scheme))],
    [
      runs.length > 1 ? 'contact models' : 'contact model',
      distinct(runs.map((run) => run.frames.contactModel)),
    ],
    ['bodies', `${scene.trackCount} moving, ${scene.nv} velocities`],
    ['controls', scene.nu > 0 ? String(scene.nu) : ''],
    ['version', `limpet ${scene.version}`],
  ];
  byId('facts').replaceChildren();
  for (const [name, value] of facts) {
    if (!value) continue;
    const term = document.createElement('dt');
    const text = document.createElement('dd');
    term.textContent = name;
    text.textContent = value;
    byId('facts').append(term, text);
  }
  byId('geometry').hidden = !(world.hasVisual && world.hasCollision);
}

// Cards are closed where the window is small, and where it becomes so; then they are the reader's.
export function closeInSmallWindows(): void {
  const small = window.matchMedia('(width < 1000px) or (height < 600px)');
  const close = () => {
    if (!small.matches) return;
    for (const id of ['summary', 'view', 'actuators']) byId(id).removeAttribute('open');
  };
  close();
  small.addEventListener('change', close);
}
