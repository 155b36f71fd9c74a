// Where a camera stands to see given points as large as the picture allows.
//
// In axes of the camera (u to the right, v up, w backwards) a point is in the picture if |u - cu|
// <= tu (cw - w) and |v - cv| <= tv (cw - w), with the camera at (cu, cv, cw) and tu, tv the
// tangents of half the angles of view. Both sides of the first hold for all points where cw >= (A +
// B) / (2 tu), A = max(u + tu w), B = max(-u + tu w); at equality cu = (A - B) / 2. The same holds
// for v. The larger cw of both is taken. Cost: one pass over the points.

type Vector = readonly [number, number, number];

export interface CameraAxes {
  right: Vector; // unit vectors
  up: Vector;
  back: Vector; // from what is looked at to the camera
}

export interface Framing {
  target: [number, number, number]; // [m]  the camera looks at it, at the mean depth of the points
  distance: number; // [m]  of the camera from the target
}

const dot = (a: Vector, x: number, y: number, z: number) => a[0] * x + a[1] * y + a[2] * z;

// `points`: (n x 3)  [m]; n >= 1.
export function framing(
  points: ArrayLike<number>,
  { right, up, back }: CameraAxes,
  tangentRight: number,
  tangentUp: number,
): Framing {
  let [rightmost, leftmost, highest, lowest] = [-Infinity, -Infinity, -Infinity, -Infinity];
  let [near, far] = [-Infinity, Infinity];
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = [points[i], points[i + 1], points[i + 2]];
    const [u, v, w] = [dot(right, x, y, z), dot(up, x, y, z), dot(back, x, y, z)];
    rightmost = Math.max(rightmost, u + tangentRight * w);
    leftmost = Math.max(leftmost, -u + tangentRight * w);
    highest = Math.max(highest, v + tangentUp * w);
    lowest = Math.max(lowest, -v + tangentUp * w);
    near = Math.max(near, w);
    far = Math.min(far, w);
  }
  const across = (rightmost + leftmost) / (2 * tangentRight);
  const along = (highest + lowest) / (2 * tangentUp);
  const [u, v, w] = [(rightmost - leftmost) / 2, (highest - lowest) / 2, (near + far) / 2];
  const place = (k: number) => u * right[k] + v * up[k] + w * back[k];
  return {
    target: [place(0), place(1), place(2)],
    distance: Math.max(across, along) - w,
  };
}
