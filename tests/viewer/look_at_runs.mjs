// node look_at_runs.mjs PAGE: a replay of two runs, alike but that the second one has its cube 0.25
// m aside. Each cube is where the page says, the first red, the second tinted; what coincides looks
// as if there were one run; switches hide runs and curves.
//
// Tolerances: 3 pixels, as in look_at_replay.mjs; cubes are 0.25 m apart where 1 m is some 700
// pixels, and some 40 pixels wide.
import assert from 'node:assert/strict';
import { Chromium } from './chromium.mjs';
import { differsFrom, isRed, opened, patch, picture } from './pictures.mjs';

const [pagePath] = process.argv.slice(2);
const frame = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

function expectPatch(found, [x, y], what) {
  const miss = Math.hypot(found.centre[0] - x, found.centre[1] - y);
  console.log(
    `${what}: expected at ${x.toFixed(1)},${y.toFixed(1)}, ` +
      `found at ${found.centre}, ${found.count} pixels`,
  );
  assert.ok(found.count > 200, `${what}: only ${found.count} pixels`);
  assert.ok(
    found.right - found.left < 90 && found.bottom - found.top < 90,
    `${what}: more than a cube`,
  );
  assert.ok(miss < 3, `${what}: ${miss} pixels from where the page says`);
}

async function cubesAreWhereThePageSays(browser) {
  const shots = {};
  let places;
  for (const runs of ['lagged,sap', 'lagged', 'sap']) {
    const page = await opened(
      browser,
      pagePath,
      `theme=dark&ui=none&forces=0&points=0&grid=0&t=2&runs=${runs}`,
    );
    assert.equal(
      (await page.evaluate('limpet.runs'))
        .filter((run) => run.shown)
        .map((run) => run.name)
        .join(),
      runs,
    );
    places = [
      await page.evaluate("limpet.projectBody('cube', 0)"),
      await page.evaluate("limpet.projectBody('cube', 1)"),
    ];
    shots[runs] = await picture(page);
  }
  assert.ok(
    Math.hypot(places[0][0] - places[1][0], places[0][1] - places[1][1]) > 60,
    'the cubes are apart',
  );
  expectPatch(patch(shots['lagged,sap'], isRed), places[0], 'cube of the first run');
  expectPatch(
    patch(shots['lagged,sap'], differsFrom(shots.lagged)),
    places[1],
    'all that the second run adds',
  );
  assert.equal(patch(shots.sap, isRed).count, 0, 'the first run is hidden');

  // a run that is alone is solid, in its tint
  const [x, y] = places[1].map(Math.round);
  const [r, g, b] = shots.sap.data.subarray(4 * (y * shots.sap.width + x));
  assert.ok(b > 1.2 * g && b > 1.8 * r, `${r} ${g} ${b} is not the blue of the second run`);
}

async function theLegendSwitchesRunsAndCurves(browser) {
  const page = await opened(browser, pagePath, 'theme=dark&t=2');
  const legend = `[...document.querySelectorAll('#runs label')].map((label) => label.textContent)`;
  const curves = `[...document.querySelectorAll('#plots figure')].map(
    (figure) => figure.querySelectorAll('.reading:not([hidden])').length)`;
  assert.deepEqual(await page.evaluate(legend), ['lagged', 'sap']);
  assert.ok((await page.evaluate(curves)).length >= 4);
  assert.ok((await page.evaluate(curves)).every((count) => count === 2));
  const [x, y] = await page.evaluate(`(() => {
    const r = document.querySelectorAll('#runs input')[1].getBoundingClientRect();
    return [r.left + r.width / 2, r.top + r.height / 2]; })()`);
  await page.click(x, y);
  await page.evaluate(frame);
  assert.deepEqual(
    (await page.evaluate('limpet.runs')).map((run) => run.shown),
    [true, false],
  );
  assert.ok((await page.evaluate(curves)).every((count) => count === 1));

  // V: the next one alone, then all
  await page.press('v');
  assert.deepEqual(
    (await page.evaluate('limpet.runs')).map((run) => run.shown),
    [false, true],
  );
  await page.press('v');
  assert.deepEqual(
    (await page.evaluate('limpet.runs')).map((run) => run.shown),
    [true, true],
  );
  assert.equal(await page.evaluate('limpet.time'), 2);
}

// Values of the runs under the cursor stand side by side: all beside the title or all below it.
async function readingsStayTogether(browser) {
  const page = await opened(browser, pagePath, 'theme=dark&t=2');
  const lines = `[...document.querySelectorAll('#plots figure')].map((figure) =>
    new Set([...figure.querySelectorAll('.reading')].map((reading) => reading.offsetTop)).size)`;
  for (let width = 800; width <= 1600; width += 200) {
    await page.resize(width, 600);
    await page.evaluate(frame);
    const counts = await page.evaluate(lines);
    assert.ok(
      counts.every((count) => count === 1),
      `${width} pixels: lines of readings ${counts}`,
    );
  }
}

const browser = new Chromium();
try {
  await cubesAreWhereThePageSays(browser);
  await theLegendSwitchesRunsAndCurves(browser);
  await readingsStayTogether(browser);
  assert.deepEqual(browser.errors, []);
} catch (error) {
  console.error(error, browser.errors);
  process.exitCode = 1;
} finally {
  await browser.close();
}
