// window.limpet: what tests and scripts use. docs/replay.md lists it.
import type { App } from './app';
import { LiveSource } from './live';

declare global {
  interface Window {
    limpet: unknown;
  }
}

export function publishError(error: string): void {
  window.limpet = { ready: false, error };
}

export function publish(app: App, canvas: HTMLCanvasElement): void {
  const { replay, view, player } = app;
  const names = replay.scene.bodies.map((_body, index) => replay.scene.bodyName(index));
  window.limpet = {
    // when the scene is drawn as it will stay
    get ready() {
      return app.complete;
    },
    bodyNames: names,
    get frameCount() {
      return replay.timeline.frameCount;
    },
    get runs() {
      return replay.runs.map(({ name, shown, frameCount }) => ({ name, shown, frameCount }));
    },
    // of the run in front, at this time
    get contactCount() {
      return replay.front.at(player.time).contacts.count;
    },
    get time() {
      return player.time;
    },
    get playing() {
      return player.playing;
    },
    seek: (time: number) => app.showAt(time),
    get live() {
      return replay.source instanceof LiveSource ? replay.source.state : null;
    },
    // origin of a body [m]
    position: (name: string) => app.positionOf(names.indexOf(name)),
    projectBody(name: string, run?: number) {
      const body = names.indexOf(name);
      return body < 0 ? null : app.projectBody(body, run);
    },
    // row-major world to clip coordinates, and the rectangle of the page that they map to
    camera() {
      const { projectionMatrix, matrixWorldInverse } = view.camera;
      const matrix = projectionMatrix.clone().multiply(matrixWorldInverse).transpose();
      const { left, top, width, height } = canvas.getBoundingClientRect();
      return { matrix: matrix.toArray(), rectangle: [left, top, width, height] };
    },
    statistics: () => app.drawn,
  };
}
