// `limpet view` in headless Chromium: play, pause, step, reset, speed, sliders, a body that is
// pulled, two tabs, a browser that takes nothing, a server that is killed; and who is refused.
//
// Nothing here depends on how fast the machine is: the test waits for what must come.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Chromium } from './chromium.mjs';
import { patch, picture } from './pictures.mjs';

const command = process.env.LIMPET_COMMAND ?? 'build/release/limpet';
const folder = mkdtempSync(join(tmpdir(), 'limpet-live-'));
const scene = `<mujoco model="live test"><worldbody>
  <geom name="floor" type="plane" size="2 2 .1"/>
  <body name="cube" pos="0 0 .1"><freejoint/>
    <geom type="box" size=".1 .1 .1" rgba="1 0 0 1"/></body>
  <body name="slider" pos=".5 0 .1"><joint name="rail" type="slide" axis="0 1 0"/>
    <geom type="sphere" size=".05"/></body>
  </worldbody>
  <actuator><position name="push" joint="rail" kp="200" kv="20" ctrlrange="-.3 .3"/></actuator>
</mujoco>`;

// A server and its address.
async function serve(...options) {
  const path = join(folder, 'scene.xml');
  writeFileSync(path, scene);
  const server = spawn(command, ['view', path, '--no-browser', ...options]);
  let text = '';
  const address = await new Promise((resolve, reject) => {
    const look = (data) => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    };
    server.stdout.on('data', look);
    server.stderr.on('data', look);
    server.on('exit', () => reject(new Error(text)));
  });
  return { server, address, url: new URL(address) };
}

const ended = (server) => new Promise((resolve) => server.once('exit', resolve));

async function stop({ server }) {
  const gone = ended(server);
  server.kill('SIGINT');
  await gone;
}

const help = spawnSync(command, ['view', '--help'], { encoding: 'utf8' });
const chromium = spawnSync('sh', ['-c', 'command -v chromium']).status === 0;
const first = await serve('--paused').catch((error) => error);
const skip =
  help.status !== 0 || !chromium || first instanceof Error
    ? `needs civetweb and npm at build time, and chromium (${first.message ?? ''})`
    : false;
let browser;

before(() => {
  if (!skip) browser = new Chromium();
});

after(async () => {
  if (!skip) {
    await browser.close();
    await stop(first);
  }
  rmSync(folder, { recursive: true });
});

async function open(address) {
  const page = await browser.open(address, 1100, 700);
  await page.until('window.limpet && window.limpet.ready');
  return page;
}

// Status of an answer; 'refused' where the connection was closed without one.
function ask(url, path, headers, upgrade) {
  return new Promise((resolve) => {
    const socket = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const request = http.request({
      host: url.hostname,
      port: url.port,
      path,
      headers: { ...(upgrade ? socket : {}), ...headers },
    });
    request.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on('upgrade', (answer, connection) => {
      resolve(answer.statusCode);
      if (!headers.Keep) connection.destroy();
      else connection.pause();
    });
    request.on('error', () => resolve('refused'));
    request.end();
  });
}

test('strangers are refused', { skip }, async () => {
  const { url } = first;
  const host = `127.0.0.1:${url.port}`;
  const origin = `http://${host}`;
  const wrong = url.pathname.replace(/[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0'));
  assert.equal(await ask(url, url.pathname, { Host: host }), 200);
  for (const path of ['/', wrong, url.pathname.slice(0, -1), `${url.pathname}x`, '/frames'])
    assert.equal(await ask(url, path, { Host: host }), 404, path);
  assert.equal(await ask(url, url.pathname, { Host: 'stranger.example' }), 404);

  const frames = `${url.pathname}frames`;
  assert.equal(await ask(url, frames, { Host: host, Origin: origin }, true), 101);
  const local = `http://localhost:${url.port}`;
  assert.equal(await ask(url, frames, { Host: host, Origin: local }, true), 101);
  for (const [path, headers] of [
    [`${wrong}frames`, { Host: host, Origin: origin }],
    [frames, { Host: host }],
    [frames, { Host: host, Origin: 'http://stranger.example' }],
    [frames, { Host: host, Origin: 'null' }],
    [frames, { Host: host, Origin: `http://127.0.0.1:${Number(url.port) + 1}` }],
    [frames, { Host: 'stranger.example', Origin: origin }],
  ])
    assert.notEqual(await ask(url, path, headers, true), 101, JSON.stringify([path, headers]));
});

test('nothing listens beyond loopback', { skip }, () => {
  const port = Number(first.url.port).toString(16).toUpperCase().padStart(4, '0');
  const listening = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((words) => words[3] === '0A' && words[1].endsWith(`:${port}`))
      .map((words) => words[1]),
  );
  assert.deepEqual(listening, [`0100007F:${port}`]);
});

test('a page plays, pauses, steps, resets and sets the speed', { skip }, async () => {
  const page = await open(first.address);
  assert.equal(await page.evaluate('limpet.live.playing'), false);
  const start = await page.evaluate('limpet.time');
  await page.press('ArrowRight');
  await page.until(`Math.abs(limpet.time - ${start} - 0.002) < 1e-9`);
  await page.press(' ');
  await page.until('limpet.live.playing && limpet.time > 0.1');
  await page.press('-');
  await page.until('limpet.live.speed === 0.5');
  await page.press(' ');
  await page.until('!limpet.live.playing');
  await page.press('0');
  await page.until('limpet.time === 0');
  await page.evaluate('document.getElementById("play").click()');
  await page.until('limpet.live.playing');
  await page.evaluate('document.getElementById("reset").click()');
  await page.evaluate('document.getElementById("play").click()');
  await page.until('!limpet.live.playing');
  await page.press('+');
  await page.until('limpet.live.speed === 1');
  await page.send('Page.close');
});

test('a slider moves its joint', { skip }, async () => {
  const page = await open(first.address);
  await page.until('!document.getElementById("actuators").hidden');
  const [at, value] = ['limpet.time', 'Number(document.querySelector("#actuators input").value)'];
  // cards above it may still grow between the look and the click, and push it out of the window
  for (let clicks = 0; clicks < 200 && !((await page.evaluate(value)) > 0.2); ++clicks) {
    const [x, y] = await page.evaluate(`(async () => {
      const input = document.querySelector('#actuators input');
      input.scrollIntoView({ block: 'center' });
      for (let i = 0; i < 2; ++i) await new Promise(requestAnimationFrame);
      const r = input.getBoundingClientRect();
      return [r.right - 3, r.top + r.height / 2]; })()`);
    await page.click(x, y);
  }
  await page.until(`${value} > 0.2`);
  // after the mouse, keys are those of the page; who comes by Tab moves the slider
  const [time, control] = [await page.evaluate(at), await page.evaluate(value)];
  await page.press('ArrowRight');
  await page.until(`Math.abs(${at} - ${time} - 0.002) < 1e-9`);
  assert.equal(await page.evaluate(value), control);
  const own = `document.querySelector('#actuators input').dispatchEvent(
    new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }))`;
  assert.equal(await page.evaluate(own), true, 'a slider in focus keeps its keys');
  // what comes while plots and cards wait is taken, too, though nothing follows
  await page.until(`Number(document.getElementById('scrub').max) === ${at}`);
  await page.evaluate('document.getElementById("play").click()');
  await page.until('limpet.position("slider")[1] > 0.2');
  await page.until('document.querySelector("#actuators output").textContent.endsWith(" m")');
  // where the window becomes small, cards close, and stay open when someone opens them
  await page.resize(390, 700);
  await page.until('!document.getElementById("view").open');
  await page.evaluate('document.getElementById("view").open = true');
  const [facts, begin] = ['document.getElementById("facts").textContent', 'limpet.time'];
  const before = [await page.evaluate(facts), await page.evaluate(begin)];
  await page.until(`${facts} !== ${JSON.stringify(before[0])} && limpet.time > ${before[1]}`);
  assert.equal(await page.evaluate('document.getElementById("view").open'), true);
  await page.evaluate('document.getElementById("play").click()');
  await page.until('!limpet.live.playing');
  await page.send('Page.close');
});

test('a drag pulls a body and tells its force, in two tabs alike', { skip }, async () => {
  // a tab that is not in front draws nothing, and so gets no frames
  const other = await open(first.address);
  const page = await open(first.address);
  await page.evaluate('document.getElementById("play").click()');
  await page.until('limpet.live.playing');
  const [x, y] = await page.evaluate('limpet.projectBody("cube")');
  const under = await page.evaluate(`document.elementFromPoint(${x}, ${y}).id`);
  assert.equal(under, 'canvas', 'nothing lies over the cube');
  const mouse = (type, dy, more = {}) =>
    page.send('Input.dispatchMouseEvent', { type, x, y: y + dy, modifiers: 2, ...more });
  const button = { button: 'left', buttons: 1, clickCount: 1 };
  await mouse('mousePressed', 0, button);
  for (let dy = 0; dy >= -120; dy -= 60) await mouse('mouseMoved', dy, button);
  // the spring is seen against the ground and the sky, too: from the cube to the mouse
  const isSpring = (r, g, b) => r > 200 && b > 160 && g < 120;
  await page.until('/ N$/.test(document.getElementById("drag-force").textContent)');
  const shown = patch(await picture(page), isSpring);
  const height = shown.bottom - shown.top;
  assert.ok(height > 20, `the spring is ${height} pixels high`);
  for (let dy = -180; dy >= -300; dy -= 60) await mouse('mouseMoved', dy, button);
  await page.until('limpet.position("cube")[2] > 0.15');
  await page.until('/ N$/.test(document.getElementById("drag-force").textContent)');
  await other.send('Page.bringToFront');
  await other.until('limpet.position("cube")[2] > 0.15 && limpet.live.drag !== null');
  await page.send('Page.bringToFront');
  await mouse('mouseReleased', -300, { button: 'left', clickCount: 1 });
  await page.until('limpet.live.drag === null');
  await page.until('limpet.position("cube")[2] < 0.12');
  await page.send('Page.close');
  await other.send('Page.close');
});

test('a browser that takes nothing does not stop the simulation', { skip }, async () => {
  const { url } = first;
  const host = `127.0.0.1:${url.port}`;
  const headers = { Host: host, Origin: `http://${host}`, Keep: '1' };
  for (let i = 0; i < 4; ++i)
    assert.equal(await ask(url, `${url.pathname}frames`, headers, true), 101);
  const page = await open(first.address);
  if (!(await page.evaluate('limpet.live.playing'))) await page.press(' ');
  const start = await page.evaluate('limpet.time');
  await page.until(`limpet.time > ${start} + 0.5`);
  await page.send('Page.close');
});

test('a killed server leaves a message and the frames', { skip }, async () => {
  const own = await serve();
  const page = await open(own.address);
  const gone = ended(own.server);
  own.server.kill('SIGKILL');
  await gone;
  await page.until('!document.getElementById("message").hidden');
  assert.equal(await page.evaluate('limpet.live.playing'), false);
  await page.until('document.getElementById("play").getAttribute("aria-label") === "Play"');
  assert.match(await page.evaluate('document.getElementById("message").textContent'), /ended/);
  await page.evaluate('limpet.seek(0)');
  await page.send('Page.close');
});

test('no page complained', { skip }, () => {
  const complaints = browser.errors.filter((text) => !/^the page asks for \w+:\/\/127/.test(text));
  assert.deepEqual(complaints, []);
});
