// Frames of a simulation that runs: scene and frames come over a WebSocket of the page's own
// address, wishes go back. docs/live.md describes the messages.
import { EmbeddedRun, type RunEntry } from './embedded';
import { Scene } from './scene';
import { signalNames } from './source';
import type { Frame, FrameSource, RunFrames, SignalName } from './source';

export interface Actuator {
  name: string;
  unit: string; // of its control; '1': a number that only the file understands
  low?: number; // limits of its control
  high?: number;
}

type Triple = [number, number, number];

export interface LiveState {
  running: boolean; // the page decides when steps are taken, not a program
  playing: boolean;
  speed: number;
  rate: number; // simulated over wall time, measured
  outcome: string; // of the step that paused it
  drag: { body: number; place: Triple; target: Triple; force: Triple } | null;
  controls: number[];
}

export type Wish =
  | { do: 'play' | 'pause' | 'reset' | 'release' }
  | { do: 'step'; count: number }
  | { do: 'speed'; value: number }
  | { do: 'control'; actuator: number; value: number }
  | { do: 'drag'; body: number; point: number[]; target: number[] };

const keptFrames = 3600; // a minute at 60 a second
const droppedFrames = 600; // at once, when there are more
const messageScene = 1;
const headSize = 8; // bytes: kind, length of the JSON

interface SceneMessage {
  scene: unknown;
  actuators: Actuator[];
}

interface FrameMessage {
  run: RunEntry;
  state: LiveState;
}

// The frames that have come, each of them a run of one frame.
export class LiveRun implements RunFrames {
  readonly name = '';
  readonly time: number[] = [];
  private readonly pieces: EmbeddedRun[] = [];
  private readonly signals = new Map<SignalName, number[]>(signalNames.map((name) => [name, []]));

  constructor(
    readonly scheme: string,
    readonly contactModel: string,
    readonly timeStep: number,
  ) {}

  frame(index: number): Frame {
    return this.pieces[index].frame(0);
  }

  signal(name: SignalName): ArrayLike<number> {
    return this.signals.get(name)!;
  }

  channel(index: number): ArrayLike<number> {
    return this.pieces.map((piece) => piece.channel(index)[0]);
  }

  // A frame of the same time replaces the last one; an earlier one begins anew.
  append(piece: EmbeddedRun): void {
    const time = piece.time[0];
    const last = this.time.length - 1;
    if (last >= 0 && time < this.time[last]) this.drop(this.time.length);
    else if (last >= 0 && time === this.time[last]) this.cut(last);
    else if (this.time.length >= keptFrames) this.drop(droppedFrames);
    this.time.push(time);
    this.pieces.push(piece);
    for (const [name, values] of this.signals) values.push(piece.signal(name)[0]);
  }

  private drop(count: number): void {
    for (const list of [this.time, this.pieces, ...this.signals.values()]) list.splice(0, count);
  }

  private cut(from: number): void {
    for (const list of [this.time, this.pieces, ...this.signals.values()]) list.splice(from);
  }
}

// Kind, JSON and arrays of a message.
export function parts(message: ArrayBuffer): { kind: number; text: string; stream: ArrayBuffer } {
  const [kind, length] = new Uint32Array(message, 0, 2);
  const text = new TextDecoder().decode(new Uint8Array(message, headSize, length));
  return { kind, text, stream: message.slice(headSize + length) };
}

export class LiveSource implements FrameSource {
  readonly live = true;
  readonly runs: readonly [LiveRun];
  state: LiveState;
  onclose: () => void = () => {};
  private grown: () => void = () => {};

  private constructor(
    private readonly socket: WebSocket,
    readonly scene: Scene,
    readonly actuators: Actuator[],
    first: { message: FrameMessage; stream: ArrayBuffer },
  ) {
    const { run, state } = first.message;
    this.runs = [new LiveRun(run.scheme, run.contact_model, run.time_step)];
    this.state = state;
    this.take(first.message, first.stream);
    socket.onclose = () => this.end();
  }

  // Resolves when the scene and a first frame have come.
  static open(address: string): Promise<LiveSource> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(address);
      let opened: LiveSource | null = null;
      let scene: { scene: Scene; actuators: Actuator[] } | null = null;
      socket.binaryType = 'arraybuffer';
      socket.onclose = () => reject(new Error('The simulation cannot be reached: it has ended.'));
      socket.onmessage = ({ data }) => {
        const { kind, text, stream } = parts(data as ArrayBuffer);
        const value = JSON.parse(text) as SceneMessage & FrameMessage;
        if (kind === messageScene) {
          scene = { scene: Scene.of(value.scene, stream), actuators: value.actuators };
          return;
        }
        if (opened) opened.take(value, stream);
        else if (scene) {
          opened = new LiveSource(socket, scene.scene, scene.actuators, { message: value, stream });
          resolve(opened);
        }
      };
    });
  }

  // The frames stay, and nothing plays or is pulled any more.
  private end(): void {
    this.state = { ...this.state, playing: false, rate: 0, drag: null };
    this.grown();
    this.onclose();
  }

  subscribe(grown: () => void): () => void {
    this.grown = grown;
    return () => (this.grown = () => {});
  }

  send(wish: Wish): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(wish));
  }

  // Told to the server when it is drawn: a page that is slow or hidden gets fewer frames.
  private take(message: FrameMessage, stream: ArrayBuffer): void {
    this.state = message.state;
    this.runs[0].append(new EmbeddedRun(message.run, stream, this.scene.trackCount));
    this.grown();
    requestAnimationFrame(() => {
      if (this.socket.readyState === WebSocket.OPEN) this.socket.send('a');
    });
  }
}

