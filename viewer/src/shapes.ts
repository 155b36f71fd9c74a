// Triangles of the shapes. Axes and sizes are those of limpet_shape_kind: capsules and cylinders
// lie along z, sizes are half lengths.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
  Vector3,
} from 'three';
import type { GeomEntry, Scene, Surface } from './scene';

const creaseCosine = Math.cos((35 * Math.PI) / 180);

function faceNormals(surface: Surface): Float32Array {
  const { vertices, faces } = surface;
  const normals = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const a = 3 * faces[f];
    const b = 3 * faces[f + 1];
    const c = 3 * faces[f + 2];
    const ux = vertices[b] - vertices[a];
    const uy = vertices[b + 1] - vertices[a + 1];
    const uz = vertices[b + 2] - vertices[a + 2];
    const vx = vertices[c] - vertices[a];
    const vy = vertices[c + 1] - vertices[a + 1];
    const vz = vertices[c + 2] - vertices[a + 2];
    normals[f] = uy * vz - uz * vy; // twice the area
    normals[f + 1] = uz * vx - ux * vz;
    normals[f + 2] = ux * vy - uy * vx;
  }
  return normals;
}

// Vertices that lie at the same place share one number, whatever the file did.
function weld(vertices: Float32Array): Uint32Array {
  const number = new Uint32Array(vertices.length / 3);
  const seen = new Map<string, number>();
  for (let i = 0; i < number.length; ++i) {
    const key = `${vertices[3 * i]},${vertices[3 * i + 1]},${vertices[3 * i + 2]}`;
    const first = seen.get(key);
    number[i] = first ?? i;
    if (first === undefined) seen.set(key, i);
  }
  return number;
}

// The faces around each vertex: faces of vertex i are list[begin[i]] to list[begin[i + 1] - 1].
function facesOfVertices(corner: Uint32Array, vertexCount: number) {
  const begin = new Uint32Array(vertexCount + 1);
  for (const vertex of corner) ++begin[vertex + 1];
  for (let i = 0; i < vertexCount; ++i) begin[i + 1] += begin[i];
  const list = new Uint32Array(corner.length);
  const next = begin.slice(0, vertexCount);
  corner.forEach((vertex, at) => (list[next[vertex]++] = (at / 3) | 0));
  return { begin, list };
}

// Corners are smooth between faces that meet at less than the crease angle, and sharp otherwise;
// larger faces count more.
function creasedGeometry(surface: Surface): BufferGeometry {
  const { vertices, faces } = surface;
  const normals = faceNormals(surface);
  const same = weld(vertices);
  const corner = Uint32Array.from(faces, (vertex) => same[vertex]);
  const { begin, list } = facesOfVertices(corner, same.length);
  const length = (f: number) => Math.hypot(normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]);
  const position = new Float32Array(3 * faces.length);
  const normal = new Float32Array(3 * faces.length);
  for (let at = 0; at < faces.length; ++at) {
    const own = (at / 3) | 0;
    const ownLength = length(own);
    const vertex = corner[at];
    let [x, y, z] = [normals[3 * own], normals[3 * own + 1], normals[3 * own + 2]];
    for (let k = begin[vertex]; k < begin[vertex + 1]; ++k) {
      const other = list[k];
      if (other === own) continue;
      const dot =
        normals[3 * own] * normals[3 * other] +
        normals[3 * own + 1] * normals[3 * other + 1] +
        normals[3 * own + 2] * normals[3 * other + 2];
      if (dot < creaseCosine * ownLength * length(other)) continue;
      x += normals[3 * other];
      y += normals[3 * other + 1];
      z += normals[3 * other + 2];
    }
    const scale = 1 / (Math.hypot(x, y, z) || 1);
    normal.set([x * scale, y * scale, z * scale], 3 * at);
    position.set(vertices.subarray(3 * faces[at], 3 * faces[at] + 3), 3 * at);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  if (surface.coordinates)
    geometry.setAttribute('picture', new BufferAttribute(surface.coordinates, 2));
  return geometry;
}

// A small octahedron at every point.
function pointsGeometry(points: Float32Array, radius: number): BufferGeometry {
  const faces = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  const corners = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1];
  const count = points.length / 3;
  const position = new Float32Array(18 * count);
  const normal = new Float32Array(18 * count);
  const index = new Uint32Array(24 * count);
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < 18; ++k) {
      position[18 * i + k] = points[3 * i + (k % 3)] + radius * corners[k];
      normal[18 * i + k] = corners[k];
    }
    for (let k = 0; k < 24; ++k) index[24 * i + k] = 6 * i + faces[k];
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

// geoms of a scene above which each is drawn with fewer triangles, and the share that is left of
// the segments
const levels = [
  { geoms: 600, detail: 0.34 },
  { geoms: 200, detail: 0.5 },
];

// Geometry of geoms, made once for all geoms of the same shape and size. `hull`: the shape that
// collides.
export class Shapes {
  private readonly known = new Map<string, BufferGeometry | null>();
  private readonly detail: number; // 1: as fine as a shape that fills the picture needs

  constructor(private readonly scene: Scene) {
    this.detail = levels.find(({ geoms }) => scene.geoms.length > geoms)?.detail ?? 1;
  }

  geometry(geom: GeomEntry, hull: boolean): BufferGeometry | null {
    switch (geom.kind) {
      case 'mesh':
        return this.mesh(geom.mesh, hull);
      case 'cloud':
        return this.cloud(geom.cloud);
      default:
        return this.once(this.form(geom), () => this.primitive(geom));
    }
  }

  // What the geometry of a geom is to be stretched by: shapes that differ so much share one.
  scale(geom: GeomEntry): Vector3 {
    const [a, b, c] = geom.size;
    switch (geom.kind) {
      case 'sphere':
      case 'capsule':
        return new Vector3(a, a, a);
      case 'ellipsoid':
      case 'box':
        return new Vector3(a, b, c);
      case 'cylinder':
        return new Vector3(a, a, b);
      default:
        return new Vector3(1, 1, 1);
    }
  }

  // One word for all shapes that are the same but for their scale.
  private form({ kind, size }: GeomEntry): string {
    if (kind === 'capsule') return `capsule ${(size[1] / size[0]).toFixed(3)}`;
    if (kind === 'plane') return `plane ${size}`;
    return kind === 'ellipsoid' ? 'sphere' : kind;
  }

  private once(key: string, make: () => BufferGeometry | null): BufferGeometry | null {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const geometry = make();
    this.known.set(key, geometry);
    return geometry;
  }

  private primitive(geom: GeomEntry): BufferGeometry | null {
    const [a, b] = geom.size;
    const part = (segments: number) => Math.ceil(segments * this.detail);
    switch (geom.kind) {
      case 'sphere':
      case 'ellipsoid':
        return new SphereGeometry(1, part(40), part(24));
      case 'capsule':
        return new CapsuleGeometry(1, (2 * b) / a, part(12), part(32)).rotateX(Math.PI / 2);
      case 'cylinder':
        return new CylinderGeometry(1, 1, 2, part(48)).rotateX(Math.PI / 2);
      case 'box':
        return new BoxGeometry(2, 2, 2);
      case 'plane':
        // endless ones are the ground's
        return a > 0 && b > 0 ? new PlaneGeometry(2 * a, 2 * b) : null;
      default:
        return null;
    }
  }

  // Points without a radius are drawn about as large as the gaps between them on a ball of the
  // cloud's size.
  private cloud(index: number): BufferGeometry | null {
    return this.once(`cloud ${index}`, () => this.cloudPoints(index));
  }

  private cloudPoints(index: number): BufferGeometry | null {
    const entry = this.scene.clouds[index];
    const points = this.scene.vertices(entry.points);
    const size = Math.max(...[0, 1, 2].map((k) => entry.points.high![k] - entry.points.low![k]));
    const radius =
      entry.radius || (0.45 * size) / Math.sqrt(Math.max(1, points.length / 3)) || 0.002;
    return points.length ? pointsGeometry(points, radius) : null;
  }

  private mesh(index: number, hull: boolean): BufferGeometry | null {
    return this.once(`mesh ${index} ${hull}`, () => {
      const entry = this.scene.meshes[index];
      const surface = hull ? entry?.hull : entry?.visual;
      return surface ? creasedGeometry(this.scene.surface(surface)) : null;
    });
  }
}
