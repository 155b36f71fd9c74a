// Plots below the scene: one for each recorded quantity, all with the scene's time cursor; a click
// or a drag seeks.
import uPlot from 'uplot';
import { cssColour } from './colours';
import type { Replay, Run } from './replay';
import { type Signal, Signals } from './signals';
import type { SignalName } from './source';
import { fixed, type Unit, unitFor } from './units';

interface Curve {
  label: string;
  run?: Run; // where there are several
  colour: string; // CSS variable
  values: (number | null)[]; // SI
}

interface Chart {
  title: string;
  hint: string;
  base: string; // SI unit; '': a count
  curves: Curve[];
  stepped?: boolean;
  least?: number; // SI: a chart whose values all stay below it is not shown
  chosen?: boolean; // by its name: it can be closed
}

const finite = (values: ArrayLike<number>) =>
  Array.from(values, (value) => (Number.isFinite(value) ? value : null));
const isRecorded = (values: (number | null)[]) =>
  values.some((value) => value !== null && value !== 0);

const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]; // between the lines of a count

function energyCurves(run: Run): Curve[] {
  const kinetic = finite(run.frames.signal('kinetic_energy'));
  const potential = finite(run.frames.signal('potential_energy'));
  const contact = finite(run.frames.signal('contact_energy'));
  const start = potential.find((value) => value !== null) ?? 0;
  const change = potential.map((value) => (value === null ? null : value - start));
  const total = kinetic.map((value, i) =>
    value === null ? null : value + change[i]! + contact[i]!,
  );
  if (!isRecorded(kinetic) && !isRecorded(change)) return [];
  return [
    { label: 'kinetic', colour: '--curve-1', values: kinetic },
    { label: 'Δ potential', colour: '--curve-2', values: change },
    { label: 'in contacts', colour: '--curve-3', values: contact },
    { label: 'sum', colour: '--curve-4', values: total },
  ].filter((curve) => isRecorded(curve.values));
}

// Kinetic and potential energy, which several runs are compared by; potential energy counts from
// its first value.
function motionEnergy(run: Run): ArrayLike<number> {
  const potential = run.frames.signal('potential_energy');
  const start = finite(potential).find((value) => value !== null) ?? 0;
  const kinetic = run.frames.signal('kinetic_energy');
  return Array.from(kinetic, (value, i) => value + potential[i] - start);
}

// Values of a run at the frames of the timeline, by its nearest frame; nothing after its end.
function onTimeline(replay: Replay, run: Run, values: (number | null)[]): (number | null)[] {
  if (run === replay.timeline) return values;
  return Array.from(replay.timeline.frames.time, (time) =>
    time > run.end + 1e-9 ? null : values[run.nearest(time)],
  );
}

// One run has curves of its own colour in each plot; of several, each plot has one curve for each.
function curvesOf(
  replay: Replay,
  label: string,
  colour: string,
  values: (run: Run) => ArrayLike<number>,
): Curve[] {
  if (replay.runs.length === 1) return [{ label, colour, values: finite(values(replay.runs[0])) }];
  return replay.runs.map((run) => ({
    label: run.name,
    run,
    colour: run.colour,
    values: onTimeline(replay, run, finite(values(run))),
  }));
}

function charts(replay: Replay): Chart[] {
  const series = (label: string, colour: string, name: SignalName) =>
    curvesOf(replay, label, colour, (run) => run.frames.signal(name));
  const percent = (label: string, colour: string, name: SignalName) =>
    curvesOf(replay, label, colour, (run) =>
      Array.from(run.frames.signal(name), (value) => 100 * value),
    );
  const several = replay.runs.length > 1;
  const all: Chart[] = [
    {
      title: 'penetration',
      hint: 'of the deepest contact, largest since the frame before',
      base: 'm',
      curves: series('penetration', '--curve-1', 'penetration'),
    },
    {
      title: 'contact force',
      hint: 'sum of all normal forces, largest since the frame before',
      base: 'N',
      curves: series('force', '--curve-2', 'force'),
    },
    {
      title: 'energy',
      hint: several
        ? 'kinetic and potential, from its start'
        : 'at the frame; potential energy counts from its start',
      base: 'J',
      curves: several
        ? curvesOf(replay, 'energy', '--curve-1', motionEnergy)
        : energyCurves(replay.runs[0]),
    },
    {
      title: 'Newton iterations',
      hint: 'largest since the frame before',
      base: '',
      stepped: true,
      curves: series('iterations', '--curve-3', 'iterations'),
    },
    {
      title: 'time per step',
      hint: 'largest since the frame before',
      base: 's',
      curves: series('time per step', '--curve-4', 'step_time'),
    },
    {
      title: "off Coulomb's law",
      hint: 'friction of the worst contact, largest since the frame before',
      base: '%',
      least: 0.01,
      curves: percent('departure', '--curve-1', 'friction_departure'),
    },
    {
      title: 'overlap',
      hint: 'made in one step, largest since the frame before',
      base: 'm',
      least: 1e-7,
      curves: series('overlap', '--curve-2', 'overlap_made'),
    },
    {
      title: 'energy rise',
      hint: 'without work, in one step, largest since the frame before',
      base: 'J',
      least: 1e-9,
      curves: series('rise', '--curve-3', 'energy_rise'),
    },
    {
      title: 'contact surfaces off by',
      hint: 'as the worst states of its force, largest since the frame before',
      base: '%',
      least: 0.01,
      curves: percent('error', '--curve-4', 'surface_error'),
    },
  ];
  return all.filter(
    (chart) =>
      chart.curves.some((curve) => isRecorded(curve.values)) &&
      largest(chart.curves) >= (chart.least ?? 0),
  );
}

// What someone has asked for by name.
function chosenChart(replay: Replay, signal: Signal): Chart {
  return {
    title: signal.name,
    hint: 'at each frame',
    base: signal.unit,
    curves: curvesOf(replay, signal.name, '--curve-1', (run) => signal.values(run)),
    chosen: true,
  };
}

// Column of the grid: a plot of several curves has more room, for their names.
function column(chart: Chart): string {
  const share = Math.min(2, 1 + 0.4 * (chart.curves.length - 1));
  const least = chart.curves.length > 1 && !chart.curves[0].run ? 260 : 180; // pixels
  return `minmax(${least}px, ${share}fr)`;
}

function largest(curves: Curve[]): number {
  let most = 0;
  for (const curve of curves)
    for (const value of curve.values) if (value !== null) most = Math.max(most, Math.abs(value));
  return most;
}

class Panel {
  readonly element = document.createElement('figure');
  private readonly plot: uPlot;
  private readonly cursor = document.createElement('div');
  private readonly readings: HTMLElement[] = [];
  private readonly unit: Unit;
  private readonly digits: number; // after the point, so that the largest value has three or four
  private dragging = false;
  private time = 0;

  constructor(
    private chart: Chart,
    private readonly replay: Replay,
    seek: (time: number) => void,
    close: (title: string) => void,
  ) {
    const most = largest(chart.curves);
    this.unit = chart.base ? unitFor(chart.base, most, 1) : { factor: 1, text: '' };
    const counts = !chart.base && !chart.chosen;
    const size = most > 0 ? Math.ceil(Math.log10(most * this.unit.factor)) : 0;
    this.digits = counts ? 0 : Math.min(9, Math.max(0, 3 - size));
    this.element.append(this.caption(close));
    const body = document.createElement('div');
    this.element.append(body);
    this.plot = new uPlot(this.options(), this.data(), body);
    this.cursor.className = 'cursor';
    this.plot.over.append(this.cursor);
    this.listen(seek);
    // the caption takes another line when its numbers grow
    new ResizeObserver(() => this.resize()).observe(this.element.firstElementChild!);
  }

  resize(): void {
    const box = this.element.getBoundingClientRect();
    const caption = this.element.firstElementChild!.getBoundingClientRect();
    if (box.width < 40) return;
    this.plot.setSize({
      width: Math.floor(box.width),
      height: Math.max(50, Math.floor(box.height - caption.height)),
    });
    this.placeCursor();
  }

  // More frames of the same curves; false where they need another unit or other captions.
  refresh(chart: Chart): boolean {
    const labels = (of: Chart) => of.curves.map((curve) => curve.label).join();
    const unit = chart.base ? unitFor(chart.base, largest(chart.curves), 1) : this.unit;
    if (chart.title !== this.chart.title || labels(chart) !== labels(this.chart)) return false;
    if (unit.text !== this.unit.text) return false;
    this.chart = chart;
    this.plot.setData(this.data());
    this.placeCursor();
    return true;
  }

  // Colours are read from the style sheet when axes are drawn.
  restyle(): void {
    this.plot.redraw(false, true);
  }

  show(time: number, frame: number): void {
    this.time = time;
    this.placeCursor();
    this.chart.curves.forEach((curve, i) => {
      // of the newest frames of a live view the values come a little later: the last one that did
      const value = curve.values[Math.min(frame, curve.values.length - 1)] ?? null;
      const shown = value === null ? '–' : fixed(value * this.unit.factor, this.digits);
      if (this.readings[i].textContent !== shown) this.readings[i].textContent = shown;
    });
  }

  showRuns(): void {
    this.chart.curves.forEach((curve, i) => {
      const shown = curve.run?.shown ?? true;
      this.plot.setSeries(i + 1, { show: shown });
      this.readings[i].parentElement!.hidden = !shown;
    });
  }

  private placeCursor(): void {
    this.cursor.style.transform = `translateX(${Math.round(this.plot.valToPos(this.time, 'x'))}px)`;
  }

  private caption(close: (title: string) => void): HTMLElement {
    const caption = document.createElement('figcaption');
    const title = document.createElement('span');
    title.className = 'plot-title';
    title.textContent = this.unit.text
      ? `${this.chart.title} [${this.unit.text}]`
      : this.chart.title;
    title.title = this.chart.hint;
    const readings = document.createElement('span');
    readings.className = 'readings';
    caption.append(title, readings);
    for (const curve of this.chart.curves) {
      const entry = document.createElement('span');
      entry.className = curve.run ? 'reading of-runs' : 'reading';
      entry.style.setProperty('--own', `var(${curve.colour})`);
      entry.title = curve.label;
      const name = document.createElement('span');
      const value = document.createElement('b');
      this.readings.push(value);
      if (this.chart.curves.length > 1) name.textContent = `${curve.label} `;
      entry.append(name, value);
      readings.append(entry);
    }
    if (this.chart.chosen) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'close';
      button.textContent = '×';
      button.title = button.ariaLabel = `close the plot of ${this.chart.title}`;
      button.addEventListener('click', () => close(this.chart.title));
      caption.append(button);
    }
    return caption;
  }

  private data(): uPlot.AlignedData {
    const scaled = this.chart.curves.map((curve) =>
      curve.values.map((value) => (value === null ? null : value * this.unit.factor)),
    );
    return [Array.from(this.replay.timeline.frames.time), ...scaled] as uPlot.AlignedData;
  }

  private options(): uPlot.Options {
    const colour = (name: string) => () => cssColour(name);
    const axis: uPlot.Axis = {
      stroke: colour('--muted'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: colour('--plot-grid') as unknown as string, width: 1 },
      ticks: { show: false },
      gap: 4,
    };
    const paths = this.chart.stepped ? uPlot.paths.stepped!({ align: -1 }) : undefined;
    return {
      width: 240,
      height: 120,
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 5 },
        drag: { x: false, y: false },
        sync: { key: 'limpet' },
      },
      scales: {
        x: {
          time: false,
          range: () => [this.replay.start, Math.max(this.replay.end, this.replay.start + 1e-9)],
        },
      },
      axes: [
        {
          ...axis,
          size: 22,
          space: 45,
          values: (_plot, splits) => splits.map((value) => `${+value.toFixed(6)} s`),
        },
        {
          ...axis,
          ...(this.chart.base || this.chart.chosen ? {} : { incrs: wholeSteps }),
          size: (_plot, values) =>
            Math.max(44, 14 + 6.5 * Math.max(0, ...(values ?? []).map((text) => text.length))),
          space: 26,
          values: (_plot, splits) => splits.map((value) => `${+value.toPrecision(6)}`),
        },
      ],
      series: [
        {},
        ...this.chart.curves.map((curve) => ({
          label: curve.label,
          stroke: colour(curve.colour),
          width: 1.5,
          paths,
          points: { show: false },
        })),
      ],
    };
  }

  private listen(seek: (time: number) => void): void {
    const over = this.plot.over;
    const go = (event: PointerEvent) =>
      seek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.dragging = true;
      over.setPointerCapture(event.pointerId);
      go(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (this.dragging) go(event);
    });
    for (const end of ['pointerup', 'pointercancel'] as const)
      over.addEventListener(end, () => (this.dragging = false));
  }
}

export class Plots {
  readonly signals: Signals;
  private panels: Panel[] = [];
  private time = 0; // [s]  of the cursor
  private chosen: Signal[] = []; // plotted by name, before the others

  constructor(
    private readonly place: HTMLElement,
    private readonly replay: Replay,
    private readonly seek: (time: number) => void,
  ) {
    this.signals = new Signals(replay);
    this.chosen = this.signals.ofProgram();
    this.grow();
    new ResizeObserver(() => this.resize()).observe(place);
  }

  // Plots what has this name; false: nothing has.
  add(name: string): boolean {
    const signal = this.signals.find(name);
    if (!signal) return false;
    if (!this.chosen.some((known) => known.name === name)) this.chosen.unshift(signal);
    this.grow();
    this.place.scrollLeft = 0;
    return true;
  }

  remove(name: string): void {
    this.chosen = this.chosen.filter((signal) => signal.name !== name);
    this.grow();
  }

  // After frames have come: there may be more quantities to plot, in other units.
  grow(): void {
    const own = this.chosen.map((signal) => chosenChart(this.replay, signal));
    const all = [...own, ...charts(this.replay)];
    const same = all.length > 0 && all.length === this.panels.length;
    if (same && all.every((chart, i) => this.panels[i].refresh(chart))) return;
    const close = (name: string) => this.remove(name);
    this.panels = all.map((chart) => new Panel(chart, this.replay, this.seek, close));
    this.place.replaceChildren(...this.panels.map((panel) => panel.element));
    this.place.style.setProperty('--panels', all.map(column).join(' ') || '1fr');
    if (this.panels.length === 0) {
      const note = document.createElement('p');
      note.textContent = this.replay.source.live
        ? 'Nothing to plot yet: all quantities are zero so far.'
        : 'Nothing to plot: all quantities are zero.';
      this.place.append(note);
    }
    this.resize();
    this.showRuns();
    this.show(this.time);
  }

  resize(): void {
    if (this.place.hidden) return;
    for (const panel of this.panels) panel.resize();
  }

  restyle(): void {
    for (const panel of this.panels) panel.restyle();
  }

  show(time: number): void {
    this.time = time;
    const frame = this.replay.timeline.nearest(time);
    for (const panel of this.panels) panel.show(time, frame);
  }

  showRuns(): void {
    for (const panel of this.panels) panel.showRuns();
  }
}
