// The clock of a live view: it stands at the newest frame unless someone looks back; the simulation
// plays, pauses and steps elsewhere.
import type { LiveSource } from './live';
import { Player, speeds } from './player';

export class LivePlayer extends Player {
  constructor(
    private readonly source: LiveSource,
    start: number,
    end: number,
  ) {
    super(start, end);
    this.seek(end);
    this.sync();
  }

  // After a message of the simulation.
  sync(): void {
    this.playing = this.source.state.playing;
    this.speed = this.source.state.speed;
  }

  override toggle(): void {
    if (this.playing && this.atEnd) this.source.send({ do: 'pause' });
    else {
      this.seek(this.end);
      this.source.send({ do: 'play' });
    }
  }

  override pause(): void {
    if (this.playing) this.source.send({ do: 'pause' });
  }

  override faster(steps: number): void {
    const at = speeds.findIndex((speed) => speed >= this.speed);
    this.choose(speeds[Math.min(speeds.length - 1, Math.max(0, at + steps))]);
  }

  override choose(speed: number): void {
    this.source.send({ do: 'speed', value: speed });
  }

  override stepOn(): boolean {
    if (!this.atEnd) return false;
    this.source.send({ do: 'step', count: 1 });
    return true;
  }

  override reset(): void {
    this.seek(this.end);
    this.source.send({ do: 'reset' });
  }

  // Time goes on by frames that come.
  override advance(): boolean {
    return false;
  }
}
