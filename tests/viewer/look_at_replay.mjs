// node look_at_replay.mjs PAGE TRUTH FOLDER: opens a replay in headless Chromium and looks at it.
// TRUTH says where a red body is at three times: {"body": name, "truth": [{"time": s, "position":
// [m, m, m]}]}. Pictures of what failed go to FOLDER.
//
// Tolerance: 3 pixels between the centre of the red patch in the picture and the projected centre
// of the cube. The patch of a cube of 60 mm seen from 2 m is some 40 pixels wide; perspective moves
// its centre from the cube's by about 1/2 (30 mm / 2 m) 40 = 0.3 pixels, rounding of pixels by 0.5,
// linear interpolation between frames of 1/60 s by less than 0.1.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chromium } from './chromium.mjs';
import { contrast, differentPixels, isRed, opened, patch, picture, project } from './pictures.mjs';

const [pagePath, truthPath, folder] = process.argv.slice(2);
const { body, truth } = JSON.parse(readFileSync(truthPath, 'utf8'));
const tolerance = 3; // pixels

async function cubeIsWhereTheLogSays(page) {
  const seen = [];
  for (const { time, position } of truth) {
    await page.evaluate(`limpet.seek(${time})`);
    assert.equal(await page.evaluate('limpet.time'), time);
    const shot = await picture(page);
    seen.push(shot);
    const expected = project(await page.evaluate('limpet.camera()'), position);
    const [px, py] = await page.evaluate(`limpet.projectBody(${JSON.stringify(body)})`);
    const red = patch(shot, isRed);
    const miss = Math.hypot(red.centre[0] - expected[0], red.centre[1] - expected[1]);
    console.log(
      `t = ${time.toFixed(3)} s: log ${expected.map((p) => p.toFixed(1))}, ` +
        `picture ${red.centre}, ${miss.toFixed(2)} pixels apart`,
    );
    assert.ok(red.count > 200, `only ${red.count} red pixels`);
    assert.ok(
      Math.hypot(px - expected[0], py - expected[1]) < 0.5,
      'projectBody disagrees with the log',
    );
    assert.ok(miss < tolerance, `the cube is ${miss} pixels from where the log says`);
  }
  return seen;
}

async function pictureIsNeitherBlankNorStatic(pictures) {
  for (const shot of pictures)
    assert.ok(contrast(shot) > 10, `contrast ${contrast(shot)}: the picture is blank`);
  for (let i = 1; i < pictures.length; ++i)
    assert.ok(
      differentPixels(pictures[i - 1], pictures[i]) > 500,
      'the picture does not change with time',
    );
}

async function itPlaysAndStops(page) {
  await page.evaluate('limpet.seek(1)');
  await page.press(' ');
  await page.until('limpet.time > 1.05');
  await page.press(' ');
  const stopped = await page.evaluate('limpet.time');
  assert.equal(await page.evaluate('limpet.playing'), false);
  await page.press('ArrowRight');
  const next = await page.evaluate('limpet.time');
  assert.ok(next > stopped && next < stopped + 0.05, 'one frame on');
  await page.press('Home');
  assert.equal(await page.evaluate('limpet.time'), 0);
}

async function aClickInAPlotSeeks(page) {
  const [x, y] = await page.evaluate(`(() => {
    const r = document.querySelector('#plots .u-over').getBoundingClientRect();
    return [r.left + r.width / 2, r.top + r.height / 2]; })()`);
  await page.click(x, y);
  const half = await page.evaluate('Number(document.getElementById("scrub").max) / 2');
  assert.ok(
    Math.abs((await page.evaluate('limpet.time')) - half) < 0.1,
    'the middle of a plot is the middle of the run',
  );
  const readings = await page.evaluate(`[...document.querySelectorAll('#plots figure')].length`);
  assert.ok(readings >= 4, `${readings} plots`);
  assert.ok(
    await page.evaluate('document.getElementById("runs").hidden'),
    'one run needs no legend of runs',
  );
}

async function switchesChangeThePicture(page) {
  await page.evaluate(`limpet.seek(${truth[0].time})`);
  for (const key of ['a', 'c', 't', 'b', 'w']) {
    const before = await picture(page);
    await page.press(key);
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );
    assert.ok(differentPixels(before, await picture(page)) > 20, `key ${key} changes nothing`);
    assert.equal(await page.evaluate('limpet.time'), truth[0].time);
  }
}

const browser = new Chromium();
let page;
try {
  // nothing red but the cube: no arrows, points or panels
  page = await opened(browser, pagePath, 't=0.5&theme=dark&ui=none&forces=0&points=0');
  assert.ok(Math.abs((await page.evaluate('limpet.time')) - 0.5) < 1e-9, '#t= seeks');
  assert.ok((await page.evaluate('limpet.bodyNames')).includes(body));
  assert.ok((await page.evaluate('limpet.statistics().triangles')) > 100);
  await pictureIsNeitherBlankNorStatic(await cubeIsWhereTheLogSays(page));
  await page.resize(600, 420);
  await page.evaluate('new Promise((done) => setTimeout(done, 200))');
  await cubeIsWhereTheLogSays(page);

  page = await opened(browser, pagePath, 'theme=dark');
  await itPlaysAndStops(page);
  await aClickInAPlotSeeks(page);
  await switchesChangeThePicture(page);
  assert.deepEqual(browser.errors, []);
} catch (error) {
  if (page)
    writeFileSync(
      join(folder, 'test_viewer_failed.png'),
      await page.screenshot().catch(() => Buffer.alloc(0)),
    );
  console.error(error, browser.errors);
  process.exitCode = 1;
} finally {
  await browser.close();
}
