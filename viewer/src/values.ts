// Triangles with a value at each corner, coloured by it: contact surfaces by pressure, deformed
// bodies by stress. Values between the corners are between theirs.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Mesh,
  MeshBasicMaterial,
} from 'three';

// Dark blue, teal, yellow: brighter is more, also in grey.
const stops = ['#2c105c', '#3b5a8c', '#2f9e8f', '#9fd04a', '#fde725'].map(
  (text) => new Color(text),
);

export const valueGradient = `linear-gradient(to right, ${stops
  .map((stop) => `#${stop.getHexString()}`)
  .join(', ')})`;

// share: 0 to 1, of the value at the end of the bar.
export function valueColour(share: number, target: Color): Color {
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const first = Math.min(Math.floor(at), stops.length - 2);
  return target.copy(stops[first]).lerp(stops[first + 1], at - first);
}

export class ValueMesh extends Mesh<BufferGeometry, MeshBasicMaterial> {
  private readonly shade = new Color();
  private cornerRoom = 0;
  private indexRoom = 0;

  // through: drawn over the bodies that hide it
  constructor(through: boolean) {
    super(
      new BufferGeometry(),
      new MeshBasicMaterial({
        side: DoubleSide,
        vertexColors: true,
        depthTest: !through,
        transparent: through,
        opacity: through ? 0.9 : 1,
      }),
    );
    this.frustumCulled = false;
    if (through) this.renderOrder = 3;
  }

  /* positions (count x 3) [m]; values (count); most: the value at the end of the bar; triangles:
   * three corners each, of them the first `triangleCount`. */
  set(
    positions: ArrayLike<number>,
    values: ArrayLike<number>,
    count: number,
    triangles: ArrayLike<number>,
    triangleCount: number,
    most: number,
  ): void {
    this.widen(count, 3 * triangleCount);
    const place = this.geometry.getAttribute('position');
    const colour = this.geometry.getAttribute('color');
    const index = this.geometry.index!;
    for (let i = 0; i < count; ++i) {
      place.setXYZ(i, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
      valueColour(values[i] / most, this.shade);
      colour.setXYZ(i, this.shade.r, this.shade.g, this.shade.b);
    }
    for (let i = 0; i < 3 * triangleCount; ++i) index.setX(i, triangles[i]);
    place.needsUpdate = colour.needsUpdate = index.needsUpdate = true;
    this.geometry.setDrawRange(0, 3 * triangleCount);
  }

  // Room doubles where it is too small.
  private widen(corners: number, indices: number): void {
    if (corners > this.cornerRoom) {
      this.cornerRoom = Math.max(corners, 2 * this.cornerRoom);
      for (const name of ['position', 'color'])
        this.geometry.setAttribute(name, dynamic(new Float32Array(3 * this.cornerRoom), 3));
    }
    if (indices > this.indexRoom || !this.geometry.index) {
      this.indexRoom = Math.max(indices, 2 * this.indexRoom, 3);
      this.geometry.setIndex(dynamic(new Uint32Array(this.indexRoom), 1));
    }
  }
}

function dynamic(array: Float32Array | Uint32Array, size: number): BufferAttribute {
  const attribute = new BufferAttribute(array, size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}
