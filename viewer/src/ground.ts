// Ground: a plane with a grid that stays sharp at any distance and fades out, which takes shadows.
import {
  Color,
  DoubleSide,
  type IUniform,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Vector2,
} from 'three';
import type { Painting } from './looks';

export interface GroundStyle {
  ground: string;
  line: string;
}

const vertexHead = 'varying vec2 gridPoint;\n';
const fragmentHead = `
varying vec2 gridPoint;
uniform float cell;
uniform float reach;
uniform float lines;
uniform vec3 lineColour;
uniform sampler2D painting;
uniform vec2 paintingBy;
uniform float painted;
float gridLine(vec2 point, float width) {
  vec2 change = fwidth(point);
  vec2 distance = abs(fract(point - 0.5) - 0.5);
  vec2 cover = 1.0 - smoothstep(vec2(0.0), change * width, distance);
  // lines closer than two pixels vanish
  vec2 blur = 1.0 - smoothstep(vec2(0.15), vec2(0.5), change);
  return max(cover.x * blur.x, cover.y * blur.y);
}
`;
const fragmentBody = `
#include <color_fragment>
if (painted > 0.5) diffuseColor.rgb *= texture2D(painting, 0.5 + gridPoint * paintingBy).rgb;
float minor = gridLine(gridPoint / cell, 1.3) * 0.28;
float major = gridLine(gridPoint / (10.0 * cell), 1.6);
diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, lines * (1.0 - painted) * max(minor, major));
diffuseColor.a *= 1.0 - smoothstep(0.25 * reach, reach, length(gridPoint));
`;

export class Ground extends Mesh<PlaneGeometry, MeshStandardMaterial> {
  private readonly uniforms: Record<string, IUniform>;
  private style: GroundStyle | null = null;

  // Half lengths [m]; `reach` [m]: where the ground has faded; `cell` [m]: distance of the fine
  // lines.
  constructor(
    halfX: number,
    halfY: number,
    reach: number,
    cell: number,
    private readonly colour?: Color,
    paint: Painting | null = null,
    private readonly paintColour = new Color('#ffffff'),
  ) {
    const uniforms = {
      cell: { value: cell },
      reach: { value: reach },
      lines: { value: 1 },
      lineColour: { value: new Color() },
      painting: { value: paint?.texture ?? null },
      paintingBy: { value: new Vector2().fromArray(paint?.by ?? [0, 0]) },
      painted: { value: paint ? 1 : 0 },
    };
    const material = new MeshStandardMaterial({
      roughness: 0.95,
      metalness: 0,
      transparent: true,
      side: DoubleSide,
    });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, uniforms);
      shader.vertexShader =
        vertexHead +
        shader.vertexShader.replace(
          '#include <begin_vertex>',
          '#include <begin_vertex>\ngridPoint = position.xy;',
        );
      shader.fragmentShader =
        fragmentHead + shader.fragmentShader.replace('#include <color_fragment>', fragmentBody);
    };
    super(new PlaneGeometry(2 * halfX, 2 * halfY), material);
    this.uniforms = uniforms;
    this.receiveShadow = true;
    this.renderOrder = -1;
  }

  restyle(style: GroundStyle): void {
    this.style = style;
    if (this.uniforms.painted.value > 0) this.material.color.copy(this.paintColour);
    else if (this.colour) this.material.color.copy(this.colour);
    else this.material.color.set(style.ground);
    (this.uniforms.lineColour.value as Color).set(style.line);
  }

  showTexture(shown: boolean): void {
    this.uniforms.painted.value = shown && this.uniforms.painting.value ? 1 : 0;
    if (this.style) this.restyle(this.style);
  }

  showLines(shown: boolean): void {
    this.uniforms.lines.value = shown ? 1 : 0;
    this.receiveShadow = shown;
    this.material.needsUpdate = true;
  }
}
