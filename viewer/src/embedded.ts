// Frames that lie in the page: all of them are there from the start.
import { type ArrayEntry, arrayOf, decodeBase64 } from './decode';
import { Scene } from './scene';
import type {
  Frame,
  FrameContacts,
  FramePatches,
  FrameSource,
  RunFrames,
  SignalName,
} from './source';

export interface RunEntry {
  name: string;
  scheme: string;
  contact_model: string;
  time_step: number;
  outcomes: string[];
  frames: {
    count: number;
    time: ArrayEntry;
    outcome: ArrayEntry;
    position: ArrayEntry;
    quaternion: ArrayEntry;
    skin: ArrayEntry;
    channels: ArrayEntry;
    contacts: Record<
      | 'begin'
      | 'left_out'
      | 'position'
      | 'force'
      | 'normal'
      | 'area'
      | 'gap'
      | 'slip'
      | 'friction'
      | 'geom',
      ArrayEntry
    >;
    patches?: Record<'begin' | 'size' | 'corner', ArrayEntry>;
    signals: Record<SignalName, ArrayEntry>;
  };
}

// Contact surfaces of all frames of a run.
class Patches {
  private readonly begin: Uint32Array; // (frames + 1)  first polygon of each frame
  private readonly size: Uint16Array; // (polygons)
  private readonly corner: Float32Array; // (corners x 4)
  private readonly first: Uint32Array; // (polygons + 1)  first corner of each

  constructor(stream: ArrayBuffer, entries: Record<'begin' | 'size' | 'corner', ArrayEntry>) {
    this.begin = arrayOf(stream, entries.begin) as Uint32Array;
    this.size = arrayOf(stream, entries.size) as Uint16Array;
    this.corner = arrayOf(stream, entries.corner) as Float32Array;
    this.first = new Uint32Array(this.size.length + 1);
    for (let k = 0; k < this.size.length; ++k) this.first[k + 1] = this.first[k] + this.size[k];
  }

  at(frame: number): FramePatches {
    const low = this.begin[frame];
    const high = this.begin[frame + 1];
    return {
      sizes: this.size.subarray(low, high),
      corners: this.corner.subarray(4 * this.first[low], 4 * this.first[high]),
    };
  }
}

export class EmbeddedRun implements RunFrames {
  readonly name: string;
  readonly scheme: string;
  readonly contactModel: string;
  readonly timeStep: number;
  readonly time: Float64Array;
  private readonly outcome: Uint16Array;
  private readonly position: Float32Array; // (frames x tracks x 3)
  private readonly quaternion: Int16Array; // (frames x tracks x 4)
  private readonly skin: Float32Array; // (frames x vertices of skins x 4)
  private readonly channels: Float32Array; // (frames x channels)
  private readonly begin: Uint32Array; // (frames + 1)  first contact of each frame
  private readonly leftOut: Uint32Array;
  private readonly contact: { position: Float32Array; force: Float32Array; normal: Int16Array };
  // one number a contact
  private readonly single: Record<'area' | 'gap' | 'slip' | 'friction', Float32Array>;
  private readonly geom: Uint32Array;
  private readonly patch?: Patches;

  constructor(
    private readonly entry: RunEntry,
    private readonly stream: ArrayBuffer,
    private readonly tracks: number,
  ) {
    const { frames } = entry;
    const { contacts } = frames;
    const array = (place: ArrayEntry) => arrayOf(stream, place);
    this.name = entry.name;
    this.scheme = entry.scheme;
    this.contactModel = entry.contact_model;
    this.timeStep = entry.time_step;
    this.time = array(frames.time) as Float64Array;
    this.outcome = array(frames.outcome) as Uint16Array;
    this.position = array(frames.position) as Float32Array;
    this.quaternion = array(frames.quaternion) as Int16Array;
    this.skin = array(frames.skin) as Float32Array;
    this.channels = array(frames.channels) as Float32Array;
    this.begin = array(contacts.begin) as Uint32Array;
    this.leftOut = array(contacts.left_out) as Uint32Array;
    this.contact = {
      position: array(contacts.position) as Float32Array,
      force: array(contacts.force) as Float32Array,
      normal: array(contacts.normal) as Int16Array,
    };
    this.single = {
      area: array(contacts.area) as Float32Array,
      gap: array(contacts.gap) as Float32Array,
      slip: array(contacts.slip) as Float32Array,
      friction: array(contacts.friction) as Float32Array,
    };
    this.geom = array(contacts.geom) as Uint32Array;
    if (frames.patches) this.patch = new Patches(stream, frames.patches);
  }

  frame(index: number): Frame {
    const { tracks } = this;
    const skin = this.skin.length / this.entry.frames.count;
    return {
      time: this.time[index],
      outcome: this.entry.outcomes[this.outcome[index]],
      position: this.position.subarray(3 * tracks * index, 3 * tracks * (index + 1)),
      quaternion: this.quaternion.subarray(4 * tracks * index, 4 * tracks * (index + 1)),
      skin: this.skin.subarray(skin * index, skin * (index + 1)),
      contacts: this.contacts(index),
      patches: this.patch?.at(index),
    };
  }

  signal(name: SignalName): Float32Array {
    return arrayOf(this.stream, this.entry.frames.signals[name]) as Float32Array;
  }

  channel(index: number): Float32Array {
    const { count } = this.entry.frames;
    const stride = count > 0 ? this.channels.length / count : 0;
    return Float32Array.from({ length: count }, (_value, f) => this.channels[f * stride + index]);
  }

  private contacts(index: number): FrameContacts {
    const [first, last] = [this.begin[index], this.begin[index + 1]];
    return {
      count: last - first,
      leftOut: this.leftOut[index],
      position: this.contact.position.subarray(3 * first, 3 * last),
      force: this.contact.force.subarray(3 * first, 3 * last),
      normal: this.contact.normal.subarray(3 * first, 3 * last),
      area: this.single.area.subarray(first, last),
      gap: this.single.gap.subarray(first, last),
      slip: this.single.slip.subarray(first, last),
      friction: this.single.friction.subarray(first, last),
      geom: this.geom.subarray(2 * first, 2 * last),
    };
  }
}

export class EmbeddedSource implements FrameSource {
  readonly scene: Scene;
  readonly runs: readonly RunFrames[];
  readonly live = false;

  // Texts of the page's three script elements.
  constructor(sceneText: string, runsText: string, streamText: string) {
    const stream = decodeBase64(streamText);
    this.scene = Scene.of(JSON.parse(sceneText), stream);
    const entries = JSON.parse(runsText) as RunEntry[];
    const { trackCount } = this.scene;
    this.runs = entries.map((entry) => new EmbeddedRun(entry, stream, trackCount));
  }

  subscribe(): () => void {
    return () => {};
  }
}
