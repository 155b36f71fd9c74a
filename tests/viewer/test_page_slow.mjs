// Every key and every button of a replay in headless Chromium: each does what the list of keys
// says of it, none makes the page complain. Textures are the colours of their patterns; signals are
// found and plotted; bodies are hidden and clipped; many bodies are few draws.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Chromium } from './chromium.mjs';
import { differentPixels, isRed, opened, patch, picture } from './pictures.mjs';

const command = process.env.LIMPET_COMMAND ?? 'build/release/limpet';
const folder = mkdtempSync(join(tmpdir(), 'limpet-page-'));
const chromium = spawnSync('sh', ['-c', 'command -v chromium']).status === 0;
const frame = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

const scene = `<mujoco model="page test"><asset>
  <texture name="board" type="2d" builtin="checker" rgb1="0 0 0" rgb2="0 1 0" width="64"
    height="64"/>
  <texture name="dice" type="cube" builtin="flat" rgb1="1 0 1" rgb2="1 0 1" width="8" height="8"/>
  <texture type="skybox" builtin="flat" rgb1="0 0 1" rgb2="0 0 1" width="8" height="8"/>
  <material name="board" texture="board" texuniform="true" texrepeat="4 4"/>
  <material name="dice" texture="dice"/></asset><worldbody>
  <geom name="floor" type="plane" size="2 2 .1" material="board"/>
  <body name="wall" pos="-.8 0 .2"><geom type="box" size=".05 .5 .2"/></body>
  <body name="dice" pos="0 0 .2"><freejoint/><geom name="dice" type="box" size=".1 .1 .1"
    material="dice"/></body>
  <body name="arm" pos=".5 0 .5"><joint name="elbow" axis="0 1 0"/>
    <geom type="capsule" size=".04 .15" pos="0 0 -.15" group="1"/></body></worldbody>
  <actuator><motor name="drive" joint="elbow"/></actuator>
  <sensor><jointvel name="rate" joint="elbow"/></sensor></mujoco>`;

function replay(name, text, ...options) {
  const [path, page] = [join(folder, `${name}.xml`), join(folder, `${name}.html`)];
  writeFileSync(path, text);
  const words = ['run', path, '--quiet', '--html', page, ...options];
  const done = spawnSync(command, words, { encoding: 'utf8' });
  return { page, complaint: done.status === 0 ? '' : done.stderr };
}

const { page: path, complaint } = replay('page', scene, '--time', '1s', '--set', 'drive=0.5');
const skip = !chromium || complaint ? `needs chromium, and npm at build time ${complaint}` : false;
let browser;
let page;
// Pictures take as long as they are large. The page before is closed: one that plays goes on
// drawing.
const small = [400, 250];
async function show(path, words, size = [800, 500]) {
  await page?.close();
  return opened(browser, path, words, size);
}

before(async () => {
  if (skip) return;
  browser = new Chromium();
  page = await show(path, 'theme=dark&t=0.6');
});

after(async () => {
  if (!skip) await browser.close();
  rmSync(folder, { recursive: true });
});

// other words in the address of a page that is open
const address = (words) => page.evaluate(`location.hash = ${JSON.stringify(words)}`);

const checked = (id) => page.evaluate(`document.getElementById('${id}').checked`);
const plots = () =>
  page.evaluate(`[...document.querySelectorAll('.plot-title')].map((title) => title.textContent)`);

async function shot() {
  await page.evaluate(frame);
  return picture(page);
}

test('every key does what its list says', { skip }, async () => {
  const seen = new Set();
  const press = async (key, ...modifiers) => {
    seen.add(key);
    await page.press(key, ...modifiers);
  };
  // switches: a second press undoes the first
  const switches = { a: 'forces', n: 'split', o: 'points', u: 'pressure', y: 'stress' };
  Object.assign(switches, { b: 'frames', m: 'names', g: 'grid', w: 'through', e: 'edges' });
  Object.assign(switches, { k: 'coloured', x: 'covered', q: 'cone', j: 'axes', '.': 'centres' });
  Object.assign(switches, { z: 'wire', 6: 'glass', f: 'follow', ',': 'textures', d: 'pull' });
  const toggle = async (key, look = () => {}) => {
    const [id, was] = [switches[key], await checked(switches[key])];
    await press(key);
    assert.equal(await checked(id), !was, `${key} ${id}`);
    await look();
    await press(key);
    assert.equal(await checked(id), was, `${key} ${id}`);
  };
  const pictured = [...'aobmgwej.z6,f']; // these change this picture, which comes back at the end
  for (const key of Object.keys(switches)) if (!pictured.includes(key)) await toggle(key);
  const first = await shot();
  const changes = async (key) =>
    assert.ok(differentPixels(first, await shot()) > 20, `${key} changes nothing`);
  for (const key of pictured) await toggle(key, () => changes(key));
  for (const [key, ways] of Object.entries({ t: 2, c: 3 })) {
    await press(key);
    await changes(key);
    for (let i = 1; i < ways; ++i) await press(key);
  }
  assert.ok(differentPixels(first, await shot()) < 20, 'a key is not undone');
  for (const key of ['1', '2', '3']) {
    await press(key);
    await changes(key);
  }
  await press('r');

  const time = () => page.evaluate('limpet.time');
  await press('Home');
  assert.equal(await time(), 0);
  await press('ArrowRight');
  const one = await time();
  assert.ok(one > 0 && one < 0.05);
  await press('ArrowLeft');
  assert.equal(await time(), 0);
  await press('End');
  assert.ok(Math.abs((await time()) - 1) < 1e-9);
  await press('Home');
  const speed = () => page.evaluate('document.getElementById("speed").value');
  await press('-');
  assert.equal(await speed(), '0.5');
  await press('+');
  assert.equal(await speed(), '1');
  await press(' ');
  await page.until('limpet.playing && limpet.time > 0.05');
  await press(' ');
  assert.equal(await page.evaluate('limpet.playing'), false);
  const loop = () => page.evaluate('document.getElementById("loop").ariaPressed');
  await press('l');
  assert.equal(await loop(), 'false');
  await press('l');
  const hidden = () => page.evaluate('document.getElementById("plots").hidden');
  await press('p');
  assert.equal(await hidden(), true);
  await press('p');
  assert.equal(await hidden(), false);
  for (const key of ['0', 'v', 's']) await press(key);
  await press('?');
  assert.equal(await page.evaluate('document.getElementById("help").open'), true);
  await page.evaluate('document.getElementById("help").close()');
  await press('/');
  assert.equal(await page.evaluate('document.activeElement.id'), 'signal');
  await page.evaluate('document.activeElement.blur()');
  for (let i = 0; i < 7; ++i) await press('5');
  assert.equal(await page.evaluate('document.getElementById("clip-axis").value'), '');
  await press('i');

  // nothing in the list was left out
  const listed = await page.evaluate(
    `[...document.querySelectorAll('#keys kbd')].map((key) => key.textContent.toLowerCase())`,
  );
  const names = { space: ' ', '←': 'arrowleft', '→': 'arrowright', '−': '-' };
  const pressed = new Set([...seen].map((key) => key.toLowerCase()));
  assert.deepEqual(
    listed.filter((key) => !pressed.has(names[key] ?? key)),
    [],
  );
});

test('a camera that followed a body comes back, wherever the body went', { skip }, async () => {
  page = await show(path, 't=0', small);
  const camera = () => page.evaluate('Array.from(limpet.camera().matrix)');
  const far = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
  const before = await camera();
  await page.press('f');
  const centred = await camera();
  assert.ok(far(before, centred) > 0.01, 'the body is not in the middle');
  await page.evaluate('limpet.seek(0.6)');
  assert.ok(far(centred, await camera()) > 0.01, 'the camera stays behind');
  assert.equal(await page.evaluate('document.getElementById("selection").hidden'), false);
  await page.press('f');
  assert.ok(far(before, await camera()) < 1e-5, 'the camera is elsewhere');
  assert.equal(await page.evaluate('document.getElementById("selection").hidden'), true);
});

test('every button and switch can be clicked', { skip }, async () => {
  await page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = true`);
  const ids = await page.evaluate(`[...document.querySelectorAll('button, input, select')]
    .filter((element) => !element.closest('dialog') && element.type !== 'search')
    .map((element, index) => (element.id ||= 'unnamed-' + index))`);
  assert.ok(ids.length > 35, `${ids.length} of them`);
  for (const id of ids) await page.evaluate(`document.getElementById('${id}').click()`);
  await page.evaluate('document.getElementById("help").close()');
  await page.evaluate(frame);
  assert.deepEqual(browser.errors, []);
});

test('textures, and the sky, have the colours of their patterns', { skip }, async () => {
  page = await show(path, 't=0.6&ui=none&forces=0&points=0&camera=1,-2,1,0,0,0', small);
  const green = (r, g, b) => g > 90 && g > 2 * r && g > 2 * b;
  const magenta = (r, g, b) => r > 90 && b > 90 && r > 2 * g && b > 2 * g;
  const blue = (r, g, b) => b > 150 && b > 2 * r && b > 2 * g;
  const seen = await shot();
  for (const [what, belongs] of Object.entries({ green, magenta }))
    assert.ok(patch(seen, belongs).count > 120, `no ${what}`);
  await page.press(',');
  const plain = await shot();
  for (const [what, belongs] of Object.entries({ green, magenta }))
    assert.ok(patch(plain, belongs).count < 20, `${what} without textures`);
  page = await show(path, 'ui=none&camera=1,-2,.3,0,0,.8', small);
  assert.ok(patch(await shot(), blue).count > 1200, 'no sky');
  await address('ui=none&camera=1,-2,.3,0,0,.8&sky=0');
  assert.ok(patch(await shot(), blue).count < 1200, 'a sky that is not shown');
});

test('signals are found by name and plotted', { skip }, async () => {
  page = await show(path, 't=0.6&plot=sensor rate|speed of dice');
  const first = (await plots()).slice(0, 2).map((title) => title.replace(/ \[.*/, ''));
  assert.deepEqual(first.sort(), ['sensor rate', 'speed of dice']);
  await page.press('/');
  for (const letter of 'control dri') await page.press(letter);
  const matches = `[...document.querySelectorAll('#signal-matches li')].map(
    (item) => item.dataset.name)`;
  assert.deepEqual(await page.evaluate(matches), ['control drive']);
  await page.press('Enter');
  assert.equal((await plots())[0], 'control drive [N m]');
  const reading = `document.querySelector('#plots figure .reading b').textContent`;
  assert.equal(Number(await page.evaluate(reading)), 0.5);
  const count = (await plots()).length;
  await page.evaluate(`document.querySelector('#plots .close').click()`);
  assert.equal((await plots()).length, count - 1);
});

test('bodies are hidden, clipped and told of', { skip }, async () => {
  page = await show(path, 't=0.9&theme=dark&forces=0&points=0');
  const [x, y] = (await page.evaluate("limpet.projectBody('dice')")).map(Math.round);
  await page.click(x, y);
  const text = await page.evaluate('document.getElementById("selection-text").textContent');
  assert.match(text, /^dice  8 kg\nat  0\.0000  0\.0000  0\.1000 m\nroll .*yaw.*\nvelocity /);
  const magenta = (r, g, b) => r > 90 && b > 90 && r > 1.5 * g && b > 1.5 * g;
  const seen = patch(await shot(), magenta).count;
  assert.ok(seen > 500);
  await page.press('i');
  assert.ok(patch(await shot(), magenta).count < 50, 'it is still there');
  await page.evaluate('document.getElementById("unhide").click()');
  await address('t=0.9&theme=dark&forces=0&points=0&clip=%2Bx,0');
  const half = patch(await shot(), magenta).count;
  assert.ok(half > 0.05 * seen && half < 0.95 * seen, `${half} of ${seen} pixels are left`);
});

test('a bin whose walls hide what lies in it begins with walls that are seen through',
  { skip }, async () => {
  const scene = (height) => `<mujoco><worldbody><geom type="plane" size="3 3 .1"/>
    ${[[0.5, 0, 0.02, 0.5], [-0.5, 0, 0.02, 0.5], [0, 0.5, 0.5, 0.02], [0, -0.5, 0.5, 0.02]]
      .map(([x, y, a, b]) => `<geom type="box" pos="${x} ${y} ${height}"
        size="${a} ${b} ${height}"/>`).join('')}
    ${[[-0.3, -0.3], [-0.3, 0.3], [0.3, -0.3], [0.3, 0.3]]
      .map(([x, y]) => `<body pos="${x} ${y} .16"><freejoint/>
        <geom type="box" size=".15 .15 .15"/></body>`).join('')}</worldbody></mujoco>`;
  const cases = [[0.5, '', true], [0.5, 'through=0', false], [0.01, '', false]];
  for (const [height, words, wanted] of cases) {
    const bin = replay('bin', scene(height), '--time', '0.02s');
    assert.equal(bin.complaint, '');
    page = await show(bin.page, `t=0&${words}`, small);
    assert.equal(await checked('through'), wanted, `${height} ${words}`);
  }
});

test('a thousand bodies with five thousand contacts are at most 60 draws', { skip }, async () => {
  const bodies = Array.from({ length: 1250 }, (_value, i) => {
    const kind = i % 2 === 0 ? 'type="box" size=".04 .04 .04"' : 'type="box" size=".05 .04 .04"';
    const place = `${0.2 * (i % 36)} ${0.2 * Math.floor(i / 36)} .0399`;
    return `<body pos="${place}"><freejoint/><geom ${kind}/></body>`;
  }).join('');
  const text = `<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="0 0 1"/>
    ${bodies}</worldbody></mujoco>`;
  const many = replay('many', text, '--time', '0.04s');
  assert.equal(many.complaint, '');
  page = await show(many.page, 't=0.04&frames=1&centres=1', [320, 200]);
  const contacts = await page.evaluate('limpet.contactCount');
  assert.ok(contacts >= 5000, `${contacts} contacts`);
  const { calls, triangles } = await page.evaluate('limpet.statistics()');
  const milliseconds = await page.evaluate(`(() => {
    const begin = performance.now();
    const gl = document.getElementById('canvas').getContext('webgl2');
    limpet.seek(0.02);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for it
    return performance.now() - begin; })()`);
  console.log(`${contacts} contacts: ${calls} draws, ${triangles} triangles, ` +
    `${milliseconds.toFixed(0)} ms a frame`);
  assert.ok(calls <= 60, `${calls} draws`);
});

test('metal shows the room', { skip }, async () => {
  const ball = (x, metallic) => [`<material name="look${metallic}" rgba="1 0 0 1" roughness="0.3"
    metallic="${metallic}"/>`,
  `<geom type="sphere" pos="${x} 0 0" size=".2" material="look${metallic}"/>`];
  const balls = [ball(-0.3, 0), ball(0.3, 1)];
  const both = (k) => balls.map((ball) => ball[k]).join('');
  const { page: path, complaint } = replay('balls', `<mujoco><asset>${both(0)}</asset>
    <worldbody>${both(1)}</worldbody></mujoco>`, '--time', '2ms');
  assert.equal(complaint, '');
  page = await show(path, 't=0&ui=none&grid=0&camera=0,-1.5,0,0,0,0', small);
  const seen = await shot();
  const half = (left) => patch(seen, (r, g, b, at) =>
    isRed(r, g, b) && (at / 4) % seen.width < seen.width / 2 === left).count;
  // without a map of the room metal is black but for the gleam of the sun
  console.log(`red pixels: ${half(true)}, of metal ${half(false)}`);
  assert.ok(half(true) > 500 && half(false) > 0.5 * half(true));
});

test('no page complained', { skip }, () => assert.deepEqual(browser.errors, []));
