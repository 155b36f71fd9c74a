// Shapes with textures: geometry with the coordinates that MJCF gives them, materials that use
// them, and the sky.
import {
  BackSide,
  BufferAttribute,
  BufferGeometry,
  type CubeTexture,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  SphereGeometry,
  type Texture,
  Vector3,
} from 'three';
import type { GeomEntry, Scene } from './scene';
import { type AppearanceEntry, Textures } from './textures';

// A flat texture on a plane, and how often it is repeated a metre along x and y.
export interface Painting {
  texture: Texture;
  by: number[];
}

// A material that takes its colour from a cube, in the direction of the attribute `around`.
function aroundBy<Kind extends Material>(material: Kind, texture: CubeTexture): Kind {
  const uniforms = { around: { value: texture } };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { cubeAround: uniforms.around });
    shader.vertexShader = `attribute vec3 around;\nvarying vec3 direction;\n${shader.vertexShader}`;
    shader.vertexShader = shader.vertexShader.replace(
      '#include <begin_vertex>',
      '#include <begin_vertex>\ndirection = around;',
    );
    shader.fragmentShader =
      `uniform samplerCube cubeAround;\nvarying vec3 direction;\n${shader.fragmentShader}`.replace(
        '#include <map_fragment>',
        'diffuseColor *= textureCube(cubeAround, direction);',
      );
  };
  material.customProgramCacheKey = () => 'around';
  return material;
}

// Coordinates of each corner: in the unit shape that is stretched by `scale`, or in metres.
function places(geometry: BufferGeometry, scale: Vector3, metres: boolean): Float32Array {
  const position = geometry.getAttribute('position');
  const box = new Vector3(1, 1, 1);
  if (scale.equals(box)) {
    // a mesh is no unit shape: it fills its box
    if (!geometry.boundingBox) geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox!;
    box.set(
      Math.max(-min.x, max.x) || 1,
      Math.max(-min.y, max.y) || 1,
      Math.max(-min.z, max.z) || 1,
    );
  }
  const by = metres ? scale : new Vector3(1, 1, 1).divide(box);
  const found = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; ++i) {
    found[3 * i] = position.getX(i) * by.x;
    found[3 * i + 1] = position.getY(i) * by.y;
    found[3 * i + 2] = position.getZ(i) * by.z;
  }
  return found;
}

export class Looks {
  readonly textures: Textures;
  private readonly geometries = new Map<string, BufferGeometry>();

  constructor(private readonly scene: Scene) {
    this.textures = new Textures(scene.textures, scene.stream);
  }

  // Whether any shape has a texture, besides the sky.
  get any(): boolean {
    return this.scene.geoms.some(({ appearance }) => this.textureOf(appearance) >= 0);
  }

  // Whether something mirrors what is around it.
  get metal(): boolean {
    return this.scene.appearances.some(({ metallic }) => metallic > 0.1);
  }

  appearance(index: number): AppearanceEntry | null {
    return this.scene.appearances[index] ?? null;
  }

  // Index of the texture of an appearance; -1: none.
  textureOf(appearance: number): number {
    return this.appearance(appearance)?.texture ?? -1;
  }

  // Whether a shape is drawn with its texture. A picture on a mesh lies by the coordinates of the
  // mesh's corners: without them it is left out.
  covers({ appearance, kind, mesh }: GeomEntry): boolean {
    const index = this.textureOf(appearance);
    if (index < 0 || kind !== 'mesh' || !this.textures.isPicture(index)) return index >= 0;
    return Boolean(this.scene.meshes[mesh]?.visual?.coordinates);
  }

  // How often a flat texture is repeated a metre, and where its middle is, on a plane of these half
  // lengths [m]; 0: endless.
  onPlane(appearance: number, halfX: number, halfY: number): Painting | null {
    const index = this.textureOf(appearance);
    if (index < 0 || !this.textures.isFlat(index)) return null;
    const { repeat, uniform } = this.appearance(appearance)!;
    const half = [halfX, halfY];
    const by = repeat.map((count, k) =>
      uniform || !(half[k] > 0) ? count : (0.5 * count) / half[k],
    );
    return { texture: this.textures.get(index), by };
  }

  // Of a shape that is stretched by `scale`: with the coordinates of its texture.
  geometry(base: BufferGeometry, scale: Vector3, appearance: number): BufferGeometry {
    const key = `${base.uuid} ${scale.toArray()} ${appearance}`;
    const known = this.geometries.get(key);
    if (known) return known;
    const { repeat, uniform } = this.appearance(appearance)!;
    const flat = this.textures.isFlat(this.textureOf(appearance));
    const at = places(base, scale, flat === uniform);
    const made = base.clone();
    const own = base.getAttribute('picture');
    if (flat && own) {
      const uv = Float32Array.from(own.array, (value, i) => repeat[i % 2] * value);
      made.setAttribute('uv', new BufferAttribute(uv, 2));
    } else if (flat) {
      const step = uniform ? 1 : 0.5;
      const uv = new Float32Array((2 * at.length) / 3);
      for (let i = 0; i < uv.length / 2; ++i)
        for (let k = 0; k < 2; ++k) uv[2 * i + k] = 0.5 + step * repeat[k] * at[3 * i + k];
      made.setAttribute('uv', new BufferAttribute(uv, 2));
    } else made.setAttribute('around', new BufferAttribute(at, 3));
    this.geometries.set(key, made);
    return made;
  }

  // The surface of an appearance, before its colour.
  dress(material: MeshStandardMaterial, appearance: number): MeshStandardMaterial {
    const look = this.appearance(appearance);
    if (!look) return material;
    material.roughness = look.roughness >= 0 ? look.roughness : 0.8 - 0.5 * look.shininess;
    if (look.metallic >= 0) material.metalness = look.metallic;
    if (look.emission > 0) {
      material.emissive.copy(material.color);
      material.emissiveIntensity = look.emission;
    }
    return material;
  }

  paint(material: MeshStandardMaterial, appearance: number): MeshStandardMaterial {
    const index = this.textureOf(appearance);
    if (index < 0) return material;
    const texture = this.textures.get(index);
    if (!this.textures.isFlat(index)) return aroundBy(material, texture as CubeTexture);
    material.map = texture;
    return material;
  }

  // Around the camera, wherever that is; null: the scene has none.
  sky(): Mesh | null {
    if (this.textures.sky < 0) return null;
    const ball = new SphereGeometry(1, 48, 32);
    const position = ball.getAttribute('position');
    const around = new Float32Array(3 * position.count);
    // the upper face of the cube is above: y of the cube is z of the world
    for (let i = 0; i < position.count; ++i)
      around.set([position.getX(i), position.getZ(i), -position.getY(i)], 3 * i);
    ball.setAttribute('around', new BufferAttribute(around, 3));
    const texture = this.textures.get(this.textures.sky) as CubeTexture;
    const style = { side: BackSide, depthWrite: false, depthTest: false, toneMapped: false };
    const sky = new Mesh(ball, aroundBy(new MeshBasicMaterial(style), texture));
    sky.renderOrder = -10;
    sky.frustumCulled = false;
    sky.onBeforeRender = (_renderer, _scene, camera) => {
      sky.matrixWorld.makeScale(2, 2, 2).copyPosition(camera.matrixWorld);
    };
    return sky;
  }
}
