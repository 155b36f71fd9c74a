// Boot: reads what the page carries, makes the scene, and wires the controls to it.
import { Replay } from './data';
import { App } from './app';

declare global {
  interface Window {
    limpet: unknown;
  }
}

function fail(text: string): void {
  const message = document.getElementById('message')!;
  message.hidden = false;
  message.textContent = text;
  window.limpet = { ready: false, error: text };
}

const scene = document.getElementById('limpet-scene');
const runs = document.getElementById('limpet-runs');
const stream = document.getElementById('limpet-stream');
if (!scene || !runs || !stream) fail('This page carries no replay: it is the empty template that the build makes.');
else {
  try {
    new App(new Replay(scene.textContent ?? '', runs.textContent ?? '', stream.textContent ?? '')).start();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    fail(/webgl/i.test(text) ? 'This browser gives no WebGL 2, which the scene needs. Try another browser, or switch hardware acceleration on.' : text);
  }
}
