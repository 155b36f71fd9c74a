// Materials of geoms: the author's colours for what is seen, one colour per body for what collides,
// one for each run but the first.
import {
  Color,
  DoubleSide,
  FrontSide,
  MeshStandardMaterial,
  type Plane,
  SRGBColorSpace,
} from 'three';
import type { Looks } from './looks';
import type { Run } from './replay';
import { cssColour } from './colours';

const collisionColours = [
  '#35b6a0',
  '#e2a03f',
  '#6f8fe8',
  '#d8707b',
  '#93b84a',
  '#b07ed6',
  '#4fb3d9',
  '#c98b5e',
];

export class Materials {
  private readonly ghosts: { run: Run; material: MeshStandardMaterial }[] = [];
  private readonly known = new Map<string, MeshStandardMaterial>();
  private readonly paints: object[] = [];

  // clipping: the planes that cut all bodies; may change.
  constructor(
    private readonly clipping: Plane[],
    private readonly looks: Looks,
  ) {}

  // After a change of the planes: where bodies are cut, their insides are seen.
  cut(): void {
    for (const material of [...this.known.values(), ...this.ghosts.map((ghost) => ghost.material)])
      this.own(material);
  }

  private own(material: MeshStandardMaterial): MeshStandardMaterial {
    const side = this.clipping.length > 0 ? DoubleSide : FrontSide;
    if (material.side !== side) material.needsUpdate = true;
    return Object.assign(material, { clippingPlanes: this.clipping, side });
  }

  // With its texture, if it is to be seen.
  visual(rgba: number[], appearance: number, textured: boolean): MeshStandardMaterial {
    return this.cached(`v${rgba.join()} ${appearance} ${textured}`, () => {
      const [r, g, b, a] = rgba;
      const colour = new Color().setRGB(r, g, b, SRGBColorSpace);
      const material = new MeshStandardMaterial({
        color: colour,
        roughness: 0.55,
        metalness: 0.08,
        transparent: a < 1,
        opacity: a,
      });
      this.looks.dress(material, appearance);
      return textured ? this.looks.paint(material, appearance) : material;
    });
  }

  // `over`: drawn over the visual geometry, so that both can be seen
  collision(body: number, over: boolean): MeshStandardMaterial {
    const colour = body === 0 ? '#8b95a3' : collisionColours[body % collisionColours.length];
    return this.cached(`c${colour}${over}`, () => {
      const material = new MeshStandardMaterial({
        color: colour,
        roughness: 0.8,
        metalness: 0,
        flatShading: true,
      });
      if (over) {
        Object.assign(material, { transparent: true, opacity: 0.38, depthWrite: false });
        Object.assign(material, {
          polygonOffset: true,
          polygonOffsetFactor: -2,
          polygonOffsetUnits: -8,
        }); // before what coincides
      }
      return material;
    });
  }

  // Of a run over the first one. Where both coincide, the first one is seen.
  ghost(run: Run): MeshStandardMaterial {
    let ghost = this.ghosts.find((entry) => entry.run === run);
    if (!ghost) {
      const material = new MeshStandardMaterial({
        roughness: 0.6,
        metalness: 0.02,
        transparent: true,
      });
      Object.assign(material, {
        polygonOffset: true,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 8 * run.index,
      });
      this.ghosts.push((ghost = { run, material: this.own(material) }));
    }
    return ghost.material;
  }

  setGhostOpacity(opacity: number): void {
    for (const { material } of this.ghosts) material.opacity = opacity;
  }

  restyle(): void {
    for (const { run, material } of this.ghosts) material.color.set(cssColour(run.colour));
  }

  // Where something is to be seen through.
  translucent(material: MeshStandardMaterial, opacity: number): MeshStandardMaterial {
    return this.cached(`t${opacity}${material.uuid}`, () => {
      const copy = cloned(material);
      return Object.assign(copy, { transparent: true, opacity, depthWrite: false });
    });
  }

  wired(material: MeshStandardMaterial): MeshStandardMaterial {
    return this.cached(`l${material.uuid}`, () =>
      Object.assign(cloned(material), { wireframe: true }),
    );
  }

  highlighted(material: MeshStandardMaterial): MeshStandardMaterial {
    return this.cached(`h${material.uuid}`, () => {
      const copy = cloned(material);
      copy.emissive.set('#1d9cf0');
      copy.emissiveIntensity = 0.45;
      return copy;
    });
  }

  // The same surface in white, for instances that bring their colours; one for all that differ in
  // colour alone.
  colourless(material: MeshStandardMaterial): MeshStandardMaterial {
    const { roughness, metalness, transparent, opacity, depthWrite, flatShading } = material;
    const { wireframe } = material;
    const { emissiveIntensity, polygonOffset, polygonOffsetFactor, polygonOffsetUnits } = material;
    const look = [roughness, metalness, transparent, opacity, depthWrite, flatShading, wireframe];
    const offset = [polygonOffset, polygonOffsetFactor, polygonOffsetUnits];
    // what lies around a shape is known by its function alone
    const painted = material.customProgramCacheKey() === 'around' ? material.onBeforeCompile : null;
    const paint = painted ? this.paintNumber(painted) : (material.map?.uuid ?? '');
    const glow = material.emissive.getHex() * emissiveIntensity;
    return this.cached(`w${[...look, ...offset, glow, paint].join()}`, () => {
      const copy = cloned(material);
      copy.color.set('#ffffff');
      return copy;
    });
  }

  private paintNumber(paint: object): string {
    const known = this.paints.indexOf(paint);
    return `p${known >= 0 ? known : this.paints.push(paint) - 1}`;
  }

  // Of a body among others, away from its neighbours'.
  bodyColour(body: number): Color {
    const goldenTurn = 0.618034; // of the circle of hues: no two of a few come near each other
    return new Color().setHSL((body * goldenTurn) % 1, 0.52, 0.55, SRGBColorSpace);
  }

  private cached(key: string, make: () => MeshStandardMaterial): MeshStandardMaterial {
    let material = this.known.get(key);
    if (!material) this.known.set(key, (material = this.own(make())));
    return material;
  }
}

// With what the shader was changed by, which clone() leaves behind.
function cloned(material: MeshStandardMaterial): MeshStandardMaterial {
  const { onBeforeCompile, customProgramCacheKey } = material;
  return Object.assign(material.clone(), { onBeforeCompile, customProgramCacheKey });
}
