// Everything of a run that can be plotted, by name: what each frame carries as numbers, where
// bodies are and how fast, and forces of contacts between bodies and between geoms.
import { frictionForce, normalForce } from './cone';
import type { Replay, Run } from './replay';
import type { ChannelEntry } from './scene';
import { type FrameContacts, type SignalName, signalNames } from './source';

export interface Signal {
  name: string;
  unit: string; // SI; '': a pure number
  values(run: Run): ArrayLike<number>; // (frames)  not-a-number: not known
}

const words: Record<ChannelEntry['kind'], string> = {
  q: 'position of joint',
  v: 'velocity of joint',
  tau: 'actuator force at joint',
  load: 'contact and constraint force at joint',
  control: 'control',
  force: 'force of actuator',
  sensor: 'sensor',
  custom: '',
};

const units: Partial<Record<SignalName, string>> = {
  penetration: 'm',
  force: 'N',
  step_time: 's',
  overlap_made: 'm',
  energy_rise: 'J',
  kinetic_energy: 'J',
  potential_energy: 'J',
  contact_energy: 'J',
};

const sampledFrames = 400; // are enough to know which geoms touch
const pairLimit = 200; // of geoms that touch, with signals of their own

type Measure = (contacts: FrameContacts, contact: number) => number;

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const most = (values: number[]) => (values.length > 0 ? Math.max(...values) : NaN);
const least = (values: number[]) => (values.length > 0 ? Math.min(...values) : NaN);

export class Signals {
  private fixed: Signal[] | null = null;
  private pairs: Signal[] = [];
  private pairFrames = 0; // that the pairs were found in

  constructor(private readonly replay: Replay) {}

  find(name: string): Signal | undefined {
    return this.all().find((signal) => signal.name === name);
  }

  // Names that hold all words of a text; those that begin with it first.
  search(text: string, count: number): Signal[] {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = this.all().filter(({ name }) =>
      wanted.every((word) => name.toLowerCase().includes(word)),
    );
    const rank = ({ name }: Signal) => (name.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1);
    return fits.sort((a, b) => rank(a) - rank(b)).slice(0, count);
  }

  all(): Signal[] {
    this.fixed ??= [...this.ofRun(), ...this.ofChannels(), ...this.ofBodies()];
    const frames = this.replay.timeline.frameCount;
    if (frames > 2 * this.pairFrames) {
      this.pairFrames = frames;
      this.pairs = this.ofPairs();
    }
    return [...this.fixed, ...this.pairs];
  }

  private ofRun(): Signal[] {
    return signalNames.map((name) => ({
      name: name.replaceAll('_', ' '),
      unit: units[name] ?? '',
      values: (run) => run.frames.signal(name),
    }));
  }

  private ofChannels(): Signal[] {
    return this.replay.scene.channels.map(({ kind, name, unit }, index) => ({
      name: `${words[kind]} ${name}`.trim(),
      unit: unit === '1' ? '' : unit,
      values: (run) => run.frames.channel(index),
    }));
  }

  // What a program measured itself: plotted from the start.
  ofProgram(): Signal[] {
    const { channels } = this.replay.scene;
    return this.ofChannels().filter((_, index) => channels[index].kind === 'custom');
  }

  private ofBodies(): Signal[] {
    const { scene } = this.replay;
    return scene.bodies.flatMap(({ track }, body) => {
      if (track < 0) return [];
      const name = scene.bodyName(body);
      const place = ['x', 'y', 'z'].map((axis, k) => ({
        name: `${axis} of ${name}`,
        unit: 'm',
        values: (run: Run) => overFrames(run, ({ position }) => position[3 * track + k]),
      }));
      const of = (geom: number) => scene.geoms[geom].body === body;
      return [
        ...place,
        { name: `speed of ${name}`, unit: 'm/s', values: (run: Run) => speeds(run, track) },
        {
          name: `turning of ${name}`,
          unit: 'rad/s',
          values: (run: Run) => turning(run, track),
        },
        ...contactSignals(`on ${name}`, (a, b) => of(a) !== of(b)).slice(0, 2),
      ];
    });
  }

  private ofPairs(): Signal[] {
    const found = new Map<string, [number, number]>();
    for (const run of this.replay.runs) {
      const stride = Math.max(1, Math.floor(run.frameCount / sampledFrames));
      for (let f = 0; f < run.frameCount && found.size < pairLimit; f += stride) {
        const { geom } = run.frames.frame(f).contacts;
        for (let i = 0; i < geom.length; i += 2)
          found.set(`${geom[i]} ${geom[i + 1]}`, [geom[i], geom[i + 1]]);
      }
    }
    const { scene } = this.replay;
    return [...found.values()].flatMap(([first, second]) =>
      contactSignals(
        `${scene.geomName(first)} – ${scene.geomName(second)}`,
        (a, b) => (a === first && b === second) || (a === second && b === first),
      ),
    );
  }
}

// Signals of the contacts whose geoms A and B are chosen.
function contactSignals(name: string, chosen: (a: number, b: number) => boolean): Signal[] {
  const over = (measure: Measure, merge: (values: number[]) => number) => (run: Run) =>
    overFrames(run, ({ contacts }) => {
      const values: number[] = [];
      for (let i = 0; i < contacts.count; ++i)
        if (chosen(contacts.geom[2 * i], contacts.geom[2 * i + 1]))
          values.push(measure(contacts, i));
      return merge(values);
    });
  return [
    { name: `normal force ${name}`, unit: 'N', values: over(normalForce, sum) },
    { name: `friction force ${name}`, unit: 'N', values: over(frictionForce, sum) },
    { name: `slip ${name}`, unit: 'm/s', values: over(({ slip }, i) => slip[i], most) },
    { name: `gap ${name}`, unit: 'm', values: over(({ gap }, i) => gap[i], least) },
  ];
}

function overFrames(run: Run, value: (frame: ReturnType<Run['at']>) => number): Float64Array {
  return Float64Array.from({ length: run.frameCount }, (_value, f) => value(run.frames.frame(f)));
}

// Rates between the frames before and after each.
function rates(run: Run, distance: (from: number, to: number) => number): Float64Array {
  const { time } = run.frames;
  const last = run.frameCount - 1;
  return Float64Array.from({ length: run.frameCount }, (_value, f) => {
    const [from, to] = [Math.max(0, f - 1), Math.min(last, f + 1)];
    return time[to] > time[from] ? distance(from, to) / (time[to] - time[from]) : NaN;
  });
}

function speeds(run: Run, track: number): Float64Array {
  return rates(run, (from, to) => {
    const [a, b] = [run.frames.frame(from).position, run.frames.frame(to).position];
    return Math.hypot(...[0, 1, 2].map((k) => b[3 * track + k] - a[3 * track + k]));
  });
}

// Angle between two quaternions of any length.
function turning(run: Run, track: number): Float64Array {
  return rates(run, (from, to) => {
    const [a, b] = [run.frames.frame(from).quaternion, run.frames.frame(to).quaternion];
    let [dot, first, second] = [0, 0, 0];
    for (let k = 4 * track; k < 4 * track + 4; ++k) {
      dot += a[k] * b[k];
      first += a[k] * a[k];
      second += b[k] * b[k];
    }
    const cosine = Math.abs(dot) / Math.sqrt(first * second);
    return 2 * Math.acos(Math.min(1, cosine));
  });
}
