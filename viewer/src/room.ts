// Light from all sides, that of a room with lamps. Metal shows the room as a mirror does, so a
// scene with metal gets a map of it, which costs a software renderer seconds. Anything else needs
// only how bright the room is by direction: nine numbers (spherical harmonics of degree two).
import { LightProbe, PMREMGenerator, type Scene, Vector3, type WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

const blur = 0.04; // [rad]

// Of RoomEnvironment, by LightProbeGenerator, turned so that z is up: 1, y, z, x, xy, yz,
// 3 z^2 - 1, xz, x^2 - y^2, each with its usual norm.
const brightness = [3.712, -1.627, 1.718, 0.288, 0.34, -1.079, -0.09, 0.234, -1.413];

export class Room {
  private readonly probe = new LightProbe();

  constructor(
    private readonly scene: Scene,
    renderer: WebGLRenderer,
    metal: boolean,
  ) {
    if (metal) {
      const seen = new PMREMGenerator(renderer).fromScene(new RoomEnvironment(), blur);
      scene.environment = seen.texture;
      scene.environmentRotation.set(Math.PI / 2, 0, 0);
      return;
    }
    this.probe.sh.set(brightness.map((value) => new Vector3(value, value, value)));
    scene.add(this.probe);
  }

  // 1: as bright as the lamps make it
  dim(intensity: number): void {
    this.scene.environmentIntensity = intensity;
    this.probe.intensity = intensity;
  }
}
