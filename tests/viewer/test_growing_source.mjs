// The viewer shows frames of any source: here one whose frames come while the page is open, as
// those of a live view will. The page of a run is built again around a source that holds most
// frames back. Skipped without the viewer's packages, Chromium or a built command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { Chromium } from './chromium.mjs';

const root = process.env.LIMPET_SOURCE_DIR ?? '.';
const viewer = join(root, 'viewer');
const command = process.env.LIMPET_COMMAND ?? join(root, 'build/release/limpet');
const place = process.env.LIMPET_BINARY_DIR ?? join(root, 'build/release');

function reasonToSkip() {
  if (!existsSync(join(viewer, 'node_modules/esbuild'))) return 'needs the packages of viewer/';
  if (!existsSync(command)) return 'needs the limpet command';
  try {
    execFileSync('chromium', ['--version'], { stdio: 'ignore' });
  } catch {
    return 'needs chromium';
  }
  return false;
}

// The application around a source that shows the first `known` frames of another one.
const program = `
import { App } from './app';
import { EmbeddedSource } from './embedded';
import { publish } from './script';

const text = (id) => document.getElementById(id).textContent;
const whole = new EmbeddedSource(text('limpet-scene'), text('limpet-runs'), text('limpet-stream'));
const all = whole.runs[0];
let known = 20;
let tell = () => {};
const run = {
  scheme: all.scheme,
  contactModel: all.contactModel,
  timeStep: all.timeStep,
  get time() { return all.time.subarray(0, known); },
  frame: (index) => all.frame(index),
  signal: (name) => all.signal(name).subarray(0, known),
};
const source = {
  scene: whole.scene,
  runs: [run],
  live: true,
  subscribe(grown) { tell = grown; return () => (tell = () => {}); },
};
const app = new App(source);
app.start();
publish(app, document.getElementById('canvas'));
window.grow = (count) => { known = count; tell(); };
`;

async function growingPage() {
  const { build } = createRequire(join(viewer, '/'))('esbuild');
  const path = join(place, 'test_growing_source.html');
  const scene = join(root, 'scenes/falling_boxes.xml');
  execFileSync(command, ['run', scene, '--time', '2s', '--html', path, '--quiet']);
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: join(viewer, 'src'), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
  });
  const script = outputFiles[0].text.replaceAll('</script', '<\\/script');
  const page = readFileSync(path, 'utf8');
  const own = page.lastIndexOf('<script>');
  writeFileSync(path, `${page.slice(0, own)}<script>${script}</script></body></html>`);
  return path;
}

test('what is shown grows with its source', { skip: reasonToSkip() }, async () => {
  const path = await growingPage();
  process.env.LIMPET_SOURCE_DIR ??= root;
  const { opened } = await import('./pictures.mjs');
  const browser = new Chromium();
  try {
    const page = await opened(browser, path, 'theme=dark');
    const state = () =>
      page.evaluate(`({
        time: limpet.time,
        count: limpet.frameCount,
        end: Number(document.getElementById('scrub').max),
        plots: document.querySelectorAll('#plots figure').length,
      })`);
    await page.evaluate('limpet.seek(10)');
    const before = await state();
    assert.equal(before.count, 20);
    assert.equal(before.time, before.end);

    // a clock at the end goes with it; the boxes fall on
    const places = 'limpet.bodyNames.map((name) => limpet.projectBody(name))';
    const early = await page.evaluate(places);
    await page.evaluate('grow(110)');
    const after = await state();
    assert.equal(after.count, 110);
    assert.equal(after.time, after.end);
    assert.ok(after.end > before.end + 0.7);
    assert.ok(after.plots >= before.plots && after.plots > 0);
    assert.notDeepEqual(await page.evaluate(places), early);

    // one that looks at the past stays there
    await page.evaluate('limpet.seek(0.5)');
    await page.evaluate('grow(121)');
    assert.equal((await state()).time, 0.5);
    assert.deepEqual(browser.errors, []);
  } finally {
    await browser.close();
  }
});
