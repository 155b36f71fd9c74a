// Which frame belongs to a time. `time`: of the frames, rising  [s].

const sameTime = 1e-9; // [s]  a frame this little later than asked for counts

// The last frame that is not after `at`, and how far `at` lies between it and the next, 0 to 1.
export function locate(time: ArrayLike<number>, at: number): { frame: number; fraction: number } {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= at + sameTime) low = middle;
    else high = middle - 1;
  }
  if (low + 1 >= time.length) return { frame: low, fraction: 0 };
  const span = time[low + 1] - time[low];
  const fraction = span > 0 ? (at - time[low]) / span : 0;
  return { frame: low, fraction: Math.min(1, Math.max(0, fraction)) };
}

// The frame whose contacts and signals belong to `at`: the nearest one.
export function nearest(time: ArrayLike<number>, at: number): number {
  const { frame, fraction } = locate(time, at);
  return fraction > 0.5 ? frame + 1 : frame;
}
