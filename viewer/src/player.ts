// The clock of a replay: where it stands, whether it runs, how fast.

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
  time: number;
  playing = false;
  loop = true;
  speed = 1;
  onchange: () => void = () => {};

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  // Frames have come or gone. A clock that stood at the end goes with it.
  extend(start: number, end: number): void {
    const { atEnd } = this;
    this.start = start;
    this.end = end;
    this.seek(atEnd ? end : this.time);
  }

  seek(time: number): void {
    const wanted = Number.isFinite(time) ? time : this.start;
    this.time = Math.min(this.end, Math.max(this.start, wanted));
    this.onchange();
  }

  toggle(): void {
    if (!this.playing && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
    this.onchange();
  }

  pause(): void {
    this.playing = false;
    this.onchange();
  }

  faster(steps: number): void {
    const at = speeds.indexOf(this.speed);
    this.choose(speeds[Math.min(speeds.length - 1, Math.max(0, at + steps))]);
  }

  choose(speed: number): void {
    this.speed = speed;
    this.onchange();
  }

  get atEnd(): boolean {
    return this.time >= this.end;
  }

  // One step of a simulation that runs; false where there is none, or time stands elsewhere.
  stepOn(): boolean {
    return false;
  }

  // The simulation back to its start.
  reset(): void {
    this.seek(this.start);
  }

  // Goes on by `seconds` of wall time; returns whether anything moved.
  advance(seconds: number): boolean {
    if (!this.playing) return false;
    const length = this.end - this.start;
    this.time += seconds * this.speed;
    if (this.time > this.end) {
      if (this.loop && length > 0) this.time = this.start + ((this.time - this.start) % length);
      else {
        this.time = this.end;
        this.playing = false;
      }
    }
    this.onchange();
    return true;
  }
}
