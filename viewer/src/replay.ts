// What the page shows of a source: its runs with their names and colours, which of them are shown,
// and the clock that they share.
import type { Scene } from './scene';
import type { Frame, FrameSource, RunFrames } from './source';
import { locate, nearest } from './timeline';

const tintCount = 5; // colours of runs in the style sheet, after the first one

export class Run {
  shown = true;

  constructor(
    readonly index: number,
    readonly name: string,
    readonly frames: RunFrames,
  ) {}

  // CSS variable of the colour that its curves have and, but for the first run, its bodies
  get colour(): string {
    return `--run-${this.index === 0 ? 0 : 1 + ((this.index - 1) % tintCount)}`;
  }

  get frameCount(): number {
    return this.frames.time.length;
  }

  get start(): number {
    return this.frames.time[0];
  }

  get end(): number {
    return this.frames.time[this.frameCount - 1];
  }

  locate(time: number): { frame: number; fraction: number } {
    return locate(this.frames.time, time);
  }

  nearest(time: number): number {
    return nearest(this.frames.time, time);
  }

  // The frame whose contacts belong to `time`.
  at(time: number): Frame {
    return this.frames.frame(this.nearest(time));
  }
}

// Its own, or its contact model, with the scheme where another run has the same model.
function runName(runs: readonly RunFrames[], index: number): string {
  const { name, scheme, contactModel } = runs[index];
  if (name) return name;
  const alone = runs.filter((run) => run.contactModel === contactModel).length === 1;
  return !contactModel ? `run ${index + 1}` : alone ? contactModel : `${scheme}/${contactModel}`;
}

export class Replay {
  readonly scene: Scene;
  readonly runs: Run[];

  constructor(readonly source: FrameSource) {
    this.scene = source.scene;
    this.runs = source.runs.map((run, index) => new Run(index, runName(source.runs, index), run));
  }

  // The run that lasts longest: its frames are those of the clock and the plots.
  get timeline(): Run {
    return this.runs.reduce((longest, run) => (run.end > longest.end ? run : longest));
  }

  get start(): number {
    return this.timeline.start;
  }

  get end(): number {
    return this.timeline.end;
  }

  // One recorded moment: nothing plays, and nothing changes that a plot could show.
  get still(): boolean {
    return !this.source.live && this.timeline.frameCount < 2;
  }

  // The run that single things (selection, names) are taken from: the first that is shown.
  get front(): Run {
    return this.runs.find((run) => run.shown) ?? this.runs[0];
  }
}
