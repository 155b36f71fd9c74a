// How large contact forces are, by which the length of their arrows is chosen.
import type { Frame } from './source';

interface Frames {
  readonly frameCount: number;
  readonly frames: { frame(index: number): Pick<Frame, 'contacts'> };
}

const sampledFrames = 2000; // are enough to know the usual force
const lastingFrames = 20;
const longest = 5; // of what stays, over the usual force

export class UsualForce {
  force = 0; // [N]  exceeded by few contacts only
  private known = 0; // frames that it was found from

  // After frames have come: it changes only when there are twice as many, or when forces came and
  // stayed whose arrows leave the picture, so that arrows can be compared from one picture to the
  // next. True: it has changed.
  grow({ runs, timeline }: { runs: readonly Frames[]; timeline: Frames }): boolean {
    const lasting = this.known > 0 ? lastingForce(timeline) : 0;
    const leaves = lasting > longest * this.force;
    if (timeline.frameCount < 2 * this.known && !leaves) return false;
    this.known = timeline.frameCount;
    const least = leaves ? (2 * lasting) / longest : 0; // there is room before the next change
    this.force = Math.max(least, ...runs.map(typicalForce));
    return true;
  }
}

function typicalForce(run: Frames): number {
  const sizes: number[] = [];
  const stride = Math.max(1, Math.floor(run.frameCount / sampledFrames));
  for (let f = 0; f < run.frameCount; f += stride) {
    const { count, force } = run.frames.frame(f).contacts;
    for (let i = 0; i < 3 * count; i += 3)
      sizes.push(Math.hypot(force[i], force[i + 1], force[i + 2]));
  }
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 0;
}

// The largest force of a frame, exceeded in half of the newest ones.
function lastingForce({ frameCount, frames }: Frames): number {
  if (frameCount < lastingFrames) return 0;
  const largest = Array.from({ length: lastingFrames }, (_, i) =>
    largestForce(frames.frame(frameCount - 1 - i).contacts),
  );
  return largest.sort((a, b) => a - b)[lastingFrames / 2];
}

function largestForce({ count, force }: Frame['contacts']): number {
  let square = 0;
  for (let i = 0; i < 3 * count; i += 3)
    square = Math.max(square, force[i] ** 2 + force[i + 1] ** 2 + force[i + 2] ** 2);
  return Math.sqrt(square);
}
