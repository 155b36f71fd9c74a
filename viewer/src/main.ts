// Boot: shows what the page carries, or the simulation that serves it.
import { App } from './app';
import { byId } from './dom';
import { EmbeddedSource } from './embedded';
import { LiveSource } from './live';
import { publish, publishError } from './script';
import type { FrameSource } from './source';

const noData = 'This page carries no replay: it is the empty template that the build makes.';
const noWebGL =
  'This browser gives no WebGL 2, which the scene needs. Try another browser, or switch hardware ' +
  'acceleration on.';
const ended =
  'The simulation has ended, or its server was closed. The frames until then are still here.';

function fail(text: string): void {
  const message = byId('message');
  message.hidden = false;
  message.textContent = text;
  if (window.limpet === undefined) publishError(text);
}

// Text of a script element; null where the page has none.
function carried(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

// Shows a source, and gives tests and scripts a handle.
function show(source: FrameSource): void {
  const app = new App(source);
  app.start();
  publish(app, byId<HTMLCanvasElement>('canvas'));
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /webgl/i.test(text) ? noWebGL : text;
}

// A simulation that runs, at the address of this page.
async function watch(): Promise<void> {
  const address = new URL('frames', window.location.href);
  address.protocol = 'ws:';
  address.hash = address.search = '';
  try {
    const source = await LiveSource.open(address.href);
    source.onclose = () => fail(ended);
    show(source);
  } catch (error) {
    fail(reason(error));
  }
}

const [scene, runs, stream] = ['limpet-scene', 'limpet-runs', 'limpet-stream'].map(carried);
if (carried('limpet-live') !== null) void watch();
else if (scene === null || runs === null || stream === null) fail(noData);
else {
  try {
    show(new EmbeddedSource(scene, runs, stream));
  } catch (error) {
    fail(reason(error));
  }
}
