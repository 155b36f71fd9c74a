// Draws many parts at once: parts of one shape and one kind of surface are instances of one mesh,
// each with its place, size and colour. Cost: one draw a shape and surface, one matrix a part.
import {
  type BufferGeometry,
  Color,
  EdgesGeometry,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  type Mesh,
  type MeshStandardMaterial,
  type Plane,
} from 'three';

const creaseAngle = 30; // degrees  between faces whose edge is drawn
const edgeVertices = 60000; // of meshes whose edges are drawn, at most
const edgeColour = '#10151c';

// A part as it is to be drawn: its mesh is never drawn itself, but has place, shape and surface.
export interface Drawn {
  mesh: Mesh;
  shown: boolean;
  edges: boolean;
  surface: MeshStandardMaterial;
  colour: Color;
}

class Batch {
  readonly solid: InstancedMesh;
  private readonly places: InstancedBufferAttribute;

  constructor(
    readonly parts: Drawn[],
    group: Group,
    edgesOf: (geometry: BufferGeometry) => BufferGeometry | null,
    private readonly edgeMaterial: LineBasicMaterial,
  ) {
    const [{ mesh, surface }] = parts;
    const { geometry } = mesh;
    this.solid = new InstancedMesh(geometry, surface, parts.length);
    this.places = this.solid.instanceMatrix;
    parts.forEach((part, i) => this.solid.setColorAt(i, part.colour));
    for (const name of ['castShadow', 'receiveShadow', 'renderOrder'] as const)
      Object.assign(this.solid, { [name]: mesh[name] });
    this.solid.frustumCulled = false;
    group.add(this.solid);
    const lines = parts[0].edges ? edgesOf(geometry) : null;
    if (lines) group.add(this.makeEdges(lines));
  }

  // Lines that the renderer takes as instances at the same places.
  private makeEdges(lines: BufferGeometry): LineSegments {
    const edges = new LineSegments(lines, this.edgeMaterial);
    Object.assign(edges, {
      isInstancedMesh: true,
      instanceMatrix: this.places,
      instanceColor: null,
      morphTexture: null,
      count: this.parts.length,
      frustumCulled: false,
      renderOrder: this.solid.renderOrder,
    });
    return edges;
  }

  place(): void {
    this.parts.forEach(({ mesh }, i) => mesh.matrixWorld.toArray(this.places.array, 16 * i));
    this.places.needsUpdate = true;
  }

  dispose(): void {
    this.solid.dispose();
  }
}

export class Batches extends Group {
  private batches: Batch[] = [];
  private readonly edgeGeometries = new Map<BufferGeometry, BufferGeometry | null>();
  private readonly edgeMaterial = new LineBasicMaterial({
    color: edgeColour,
    transparent: true,
    opacity: 0.55,
  });

  // Edges are cut by these planes, as bodies are.
  clip(planes: Plane[]): void {
    this.edgeMaterial.clippingPlanes = planes;
  }

  // After a change of what is shown, or how.
  arrange(parts: readonly Drawn[]): void {
    for (const batch of this.batches) batch.dispose();
    this.clear();
    const groups = new Map<string, Drawn[]>();
    for (const part of parts) {
      if (!part.shown) continue;
      const { geometry, castShadow, receiveShadow, renderOrder } = part.mesh;
      const looks = [geometry.uuid, part.surface.uuid, castShadow, receiveShadow, renderOrder];
      const key = [...looks, part.edges].join();
      const group = groups.get(key);
      if (group) group.push(part);
      else groups.set(key, [part]);
    }
    const edgesOf = (geometry: BufferGeometry) => this.edgesOf(geometry);
    this.batches = [...groups.values()].map(
      (group) => new Batch(group, this, edgesOf, this.edgeMaterial),
    );
    this.place();
  }

  // After parts have moved, and their world matrices are known.
  place(): void {
    for (const batch of this.batches) batch.place();
  }

  private edgesOf(geometry: BufferGeometry): BufferGeometry | null {
    const known = this.edgeGeometries.get(geometry);
    if (known !== undefined) return known;
    const small = geometry.getAttribute('position').count <= edgeVertices;
    const edges = small ? new EdgesGeometry(geometry, creaseAngle) : null;
    this.edgeGeometries.set(geometry, edges);
    return edges;
  }
}
