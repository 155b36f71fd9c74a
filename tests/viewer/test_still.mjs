// A page of one frame, as a notebook shows a model: no controls of time and no empty plots, all of
// the window for the scene. Skipped without Chromium or a built command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Chromium } from './chromium.mjs';

process.env.LIMPET_SOURCE_DIR ??= process.cwd();
const root = process.env.LIMPET_SOURCE_DIR;
const command = process.env.LIMPET_COMMAND ?? join(root, 'build/release/limpet');
const place = process.env.LIMPET_BINARY_DIR ?? join(root, 'build/release');

function reasonToSkip() {
  if (!existsSync(join(root, 'viewer/node_modules/pngjs'))) return 'needs the packages of viewer/';
  if (!existsSync(command)) return 'needs the limpet command';
  try {
    execFileSync('chromium', ['--version'], { stdio: 'ignore' });
  } catch {
    return 'needs chromium';
  }
  return false;
}

test('one frame fills its window', { skip: reasonToSkip() }, async () => {
  const { opened } = await import('./pictures.mjs');
  const browser = new Chromium();
  try {
    const heights = async (time) => {
      const path = join(place, 'test_still.html');
      const scene = join(root, 'scenes/falling_boxes.xml');
      execFileSync(command, ['run', scene, '--time', time, '--html', path, '--quiet']);
      const page = await opened(browser, path, 'plots=1', [900, 600]);
      const height = (id) => `document.getElementById('${id}').offsetHeight`;
      const all = ['stage', 'transport', 'plots'].map(height);
      const before = await page.evaluate(`[${all.join()}]`);
      await page.evaluate(`window.dispatchEvent(new KeyboardEvent('keydown', { key: 'p' }))`);
      return [before, await page.evaluate(`[${all.join()}]`)];
    };
    assert.deepEqual(await heights('0'), [
      [600, 0, 0],
      [600, 0, 0],
    ]);
    const [shown, hidden] = await heights('20ms');
    assert.ok(shown.every((height) => height > 0 && height < 600)); // what moves has both
    assert.ok(hidden[1] > 0 && hidden[2] === 0); // and the key hides its plots
    assert.deepEqual(browser.errors, []);
  } finally {
    await browser.close();
  }
});
