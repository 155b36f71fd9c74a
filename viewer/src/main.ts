// Boot: shows what the page carries.
import { App } from './app';
import { byId } from './dom';
import { EmbeddedSource } from './embedded';
import { publish, publishError } from './script';

const noData = 'This page carries no replay: it is the empty template that the build makes.';
const noWebGL =
  'This browser gives no WebGL 2, which the scene needs. Try another browser, or switch hardware ' +
  'acceleration on.';

function fail(text: string): void {
  const message = byId('message');
  message.hidden = false;
  message.textContent = text;
  publishError(text);
}

// Text of a script element; null where the page has none.
function carried(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

const [scene, runs, stream] = ['limpet-scene', 'limpet-runs', 'limpet-stream'].map(carried);
if (scene === null || runs === null || stream === null) fail(noData);
else {
  try {
    const app = new App(new EmbeddedSource(scene, runs, stream));
    app.start();
    publish(app, byId<HTMLCanvasElement>('canvas'));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    fail(/webgl/i.test(text) ? noWebGL : text);
  }
}
