// Parts of the viewer that need no browser: decoding, the search for a time, the clock, sources.
// Skipped where the viewer's packages are not installed.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { test } from 'node:test';

const viewer = join(process.env.LIMPET_SOURCE_DIR ?? '.', 'viewer');
const skip = !existsSync(join(viewer, 'node_modules/esbuild')) && 'needs the packages of viewer/';

async function load(name) {
  const { build } = createRequire(join(viewer, '/'))('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(viewer, 'src', name)],
    bundle: true,
    write: false,
    format: 'esm',
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
  );
}

// Arrays one after the other, each at a multiple of 8 bytes, with the entries that name them.
class Stream {
  bytes = Buffer.alloc(0);

  put(type, values) {
    const kinds = {
      f8: Float64Array,
      f4: Float32Array,
      u4: Uint32Array,
      u2: Uint16Array,
      i2: Int16Array,
    };
    const numbers = kinds[type].from(values);
    const offset = this.bytes.length;
    const padded = Buffer.alloc(8 * Math.ceil(numbers.byteLength / 8));
    Buffer.from(numbers.buffer).copy(padded);
    this.bytes = Buffer.concat([this.bytes, padded]);
    return { type, offset, count: numbers.length };
  }
}

const body = (name, track) => ({
  name,
  parent: 0,
  track,
  position: [0, 0, 0],
  quaternion: [1, 0, 0, 0],
});

// Two moving bodies, three frames with 1, 0 and 2 contacts.
function carried(stream) {
  const scene = {
    format: 'limpet scene',
    revision: 5,
    version: '1',
    title: 'two',
    nv: 12,
    nu: 0,
    gravity: [0, 0, -9.81],
    bodies: [body(null, -1), body('a', 0), body(null, 1)],
    geoms: [{ name: null, body: 2, kind: 'box' }],
    meshes: [],
    clouds: [],
    skins: [],
    joints: [],
    textures: [],
    appearances: [],
    channels: [
      { name: 'elbow', kind: 'q', unit: 'rad' },
      { name: 'grip', kind: 'sensor', unit: 'N' },
    ],
  };
  const numbers = (count) => Array.from({ length: count }, (_value, i) => i);
  const signals = ['penetration', 'force', 'iterations', 'step_time', 'contacts'];
  const truths = ['friction_departure', 'overlap_made', 'energy_rise', 'surface_error'];
  const energies = ['kinetic_energy', 'potential_energy', 'contact_energy'];
  const run = {
    name: '',
    scheme: 'discrete',
    contact_model: 'lagged',
    time_step: 0.002,
    outcomes: ['solved', 'iteration limit'],
    frames: {
      count: 3,
      time: stream.put('f8', [0, 0.5, 1]),
      outcome: stream.put('u2', [0, 1, 0]),
      position: stream.put('f4', numbers(18)),
      quaternion: stream.put('i2', numbers(24)),
      skin: stream.put('f4', numbers(0)),
      channels: stream.put('f4', [0, 1, 2, 3, 4, 5]),
      contacts: {
        begin: stream.put('u4', [0, 1, 1, 3]),
        left_out: stream.put('u4', [0, 0, 7]),
        position: stream.put('f4', numbers(9)),
        force: stream.put('f4', numbers(9)),
        normal: stream.put('i2', numbers(9)),
        area: stream.put('f4', numbers(3)),
        gap: stream.put('f4', numbers(3)),
        slip: stream.put('f4', numbers(3)),
        friction: stream.put('f4', numbers(3)),
        geom: stream.put('u4', numbers(6)),
      },
      signals: Object.fromEntries(
        [...signals, ...truths, ...energies].map((name, i) => [
          name,
          stream.put('f4', [NaN, i, 2 * i]),
        ]),
      ),
    },
  };
  return { scene, run };
}

test('arrays are views at their places, in their types', { skip }, async () => {
  const { arrayOf, decodeBase64, verticesOf } = await load('decode.ts');
  const stream = new Stream();
  const wanted = {
    f8: [1e-300, -2.5, Infinity],
    f4: [0.5, -1],
    u4: [0, 4294967295],
    u2: [65535, 1, 2],
    i2: [-32767, 32767],
  };
  const entries = Object.entries(wanted).map(([type, values]) => stream.put(type, values));
  const bytes = decodeBase64(stream.bytes.toString('base64'));
  for (const entry of entries)
    assert.deepEqual(Array.from(arrayOf(bytes, entry)), wanted[entry.type], entry.type);

  // corners of the box come back exactly, what lies between within half a step of 16 bits
  const codes = new Stream();
  const entry = codes.put('u2', [0, 65535, 32768, 65535, 0, 0]);
  const box = { ...entry, low: [-1, 2, 0], high: [1, 4, 10] };
  const vertices = verticesOf(decodeBase64(codes.bytes.toString('base64')), box);
  assert.deepEqual([...vertices].slice(0, 2), [-1, 4]);
  assert.ok(Math.abs(vertices[2] - 5) <= (0.5 * 10) / 65535 + 1e-6);
  assert.deepEqual([...vertices].slice(3), [1, 2, 0]);
});

test('the frame of a time is the last that is not after it', { skip }, async () => {
  const { locate, nearest } = await load('timeline.ts');
  for (let trial = 0; trial < 200; ++trial) {
    const time = Array.from(
      { length: 1 + Math.floor(40 * Math.random()) },
      () => 3 * Math.random(),
    );
    time.sort((a, b) => a - b);
    const at = -0.5 + 4 * Math.random();
    const last = Math.max(
      0,
      time.findLastIndex((value) => value <= at + 1e-9),
    );
    const { frame, fraction } = locate(time, at);
    assert.equal(frame, last);
    assert.ok(fraction >= 0 && fraction <= 1);
    if (at > time[0] && last + 1 < time.length) {
      const between = time[last] + fraction * (time[last + 1] - time[last]);
      assert.ok(Math.abs(between - at) < 1e-8);
    }
    const distance = Math.abs(time[nearest(time, at)] - at);
    for (const value of time) assert.ok(distance <= Math.abs(value - at) + 2e-9);
  }
});

test('a frame of the page is what lies in its arrays', { skip }, async () => {
  const { EmbeddedSource } = await load('embedded.ts');
  const stream = new Stream();
  const { scene, run } = carried(stream);
  const texts = [JSON.stringify(scene), JSON.stringify([run]), stream.bytes.toString('base64')];
  const source = new EmbeddedSource(...texts);
  assert.equal(source.live, false);
  assert.equal(source.scene.trackCount, 2);
  assert.equal(source.scene.bodyName(2), 'body 2');
  assert.equal(source.scene.geomName(0), 'body 2 (box)');
  const last = source.runs[0].frame(2);
  assert.equal(last.time, 1);
  assert.equal(source.runs[0].frame(1).outcome, 'iteration limit');
  assert.deepEqual([...last.position], [12, 13, 14, 15, 16, 17]);
  assert.deepEqual([...last.quaternion], [16, 17, 18, 19, 20, 21, 22, 23]);
  assert.deepEqual(
    source.runs.flatMap((each) => [0, 1, 2].map((frame) => each.frame(frame).contacts.count)),
    [1, 0, 2],
  );
  assert.equal(last.contacts.leftOut, 7);
  assert.deepEqual([...last.contacts.force], [3, 4, 5, 6, 7, 8]);
  assert.deepEqual([...last.contacts.geom], [2, 3, 4, 5]);
  assert.deepEqual([...source.runs[0].signal('force')].slice(1), [1, 2]);
  assert.deepEqual([...source.runs[0].channel(1)], [1, 3, 5]);
  const older = JSON.stringify({ ...scene, revision: 2 });
  assert.throws(() => new EmbeddedSource(older, ...texts.slice(1)), /revision/);
});

test('signals are found by their names and have a value a frame', { skip }, async () => {
  const { EmbeddedSource } = await load('embedded.ts');
  const { Replay } = await load('replay.ts');
  const { Signals } = await load('signals.ts');
  const stream = new Stream();
  const { scene, run } = carried(stream);
  // contacts: A and B of three contacts are geoms of two bodies
  const geom = (name, of) => ({ name, body: of, kind: 'box', group: 0 });
  scene.geoms = [0, 1, 2, 3, 4, 5].map((i) => geom(`g${i}`, 1 + (i % 2)));
  const texts = [JSON.stringify(scene), JSON.stringify([run]), stream.bytes.toString('base64')];
  const replay = new Replay(new EmbeddedSource(...texts));
  const signals = new Signals(replay);
  const values = (name) => [...signals.find(name).values(replay.runs[0])];
  assert.deepEqual(values('position of joint elbow'), [0, 2, 4]);
  assert.deepEqual(values('sensor grip'), [1, 3, 5]);
  assert.deepEqual(values('z of a'), [2, 8, 14]);
  // from x, y, z = 0, 1, 2 to 6, 7, 8 to 12, 13, 14 in half a second each
  for (const speed of values('speed of a')) assert.ok(Math.abs(speed - 12 * Math.sqrt(3)) < 1e-9);
  const force = values('normal force g2 – g3');
  assert.equal(force[0], 0);
  assert.ok(Math.abs(force[2] - (3 * 3 + 4 * 4 + 5 * 5) / 32767) < 1e-9);
  assert.ok(Number.isNaN(values('slip g2 – g3')[0]));
  assert.equal(signals.find('normal force g0 – g3'), undefined);
  const found = signals.search('joint elb', 5).map(({ name }) => name);
  assert.deepEqual(found, ['position of joint elbow']);
  assert.equal(signals.search('force', 3).length, 3);
  assert.equal(signals.search('force', 3)[0].name, 'force');
});

test('runs are named after what tells them apart', { skip }, async () => {
  const { Replay } = await load('replay.ts');
  const run = (scheme, contactModel, time) => ({ scheme, contactModel, time });
  const replay = new Replay({
    scene: {},
    runs: [
      run('discrete', 'sap', [0, 1]),
      run('adaptive', 'sap', [0, 3]),
      run('discrete', 'lagged', [0, 2]),
      run('', '', [0, 1]),
    ],
  });
  const names = ['discrete/sap', 'adaptive/sap', 'lagged', 'run 4'];
  assert.deepEqual(
    replay.runs.map(({ name }) => name),
    names,
  );
  assert.equal(replay.end, 3);
  replay.runs[0].shown = false;
  assert.equal(replay.front.index, 1);
});

test('the clock stays in its range and follows a growing end', { skip }, async () => {
  const { Player } = await load('player.ts');
  const player = new Player(0, 2);
  player.seek(5);
  assert.equal(player.time, 2);
  player.seek(NaN);
  assert.equal(player.time, 0);
  player.extend(0, 3);
  assert.equal(player.time, 0); // who looks at the past is left there
  player.seek(3);
  player.extend(1, 4);
  assert.equal(player.time, 4);
  player.seek(1.5);
  player.extend(2, 5); // the past is gone
  assert.equal(player.time, 2);
  player.toggle();
  player.advance(3.5);
  assert.ok(Math.abs(player.time - 2.5) < 1e-12, 'it starts again after the end');
  player.loop = false;
  player.advance(10);
  assert.deepEqual([player.time, player.playing], [5, false]);
});

test('a framed picture holds all points and is full across or along', { skip }, async () => {
  const { framing } = await load('framing.ts');
  const random = (size) => size * (2 * Math.random() - 1);
  const cross = (a, b) =>
    [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      return a[i] * b[j] - a[j] * b[i];
    });
  const unit = (a) => a.map((value) => value / Math.hypot(...a));
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  for (let trial = 0; trial < 200; ++trial) {
    const size = 10 ** random(3);
    const points = Array.from({ length: 3 * (2 + (trial % 20)) }, () => random(size) + 2 * size);
    const back = unit([random(1), random(1), random(1)]);
    const right = unit(cross([0, 0, 1], back));
    const up = cross(back, right);
    const [tangentRight, tangentUp] = [0.1 + Math.random(), 0.1 + Math.random()];
    const found = framing(points, { right, up, back }, tangentRight, tangentUp);
    const eye = found.target.map((value, k) => value + found.distance * back[k]);
    // how far beyond each edge of the picture the outermost point is: right, left, top, bottom
    const beyond = [0, 0, 0, 0].map(() => -Infinity);
    for (let i = 0; i < points.length; i += 3) {
      const from = [0, 1, 2].map((k) => points[i + k] - eye[k]);
      const depth = -dot(from, back);
      const [x, y] = [dot(from, right), dot(from, up)];
      const [halfWidth, halfHeight] = [tangentRight * depth, tangentUp * depth];
      [x - halfWidth, -x - halfWidth, y - halfHeight, -y - halfHeight].forEach(
        (value, k) => (beyond[k] = Math.max(beyond[k], value)),
      );
    }
    const rounding = 1e-9 * size;
    assert.ok(Math.max(...beyond) <= rounding, 'all points are in the picture');
    const [toRight, toLeft, toTop, toBottom] = beyond.map((value) => value > -rounding);
    assert.ok((toRight && toLeft) || (toTop && toBottom), 'it cannot be larger');
  }
});

test('no file of the viewer imports itself, and lines end before column 100', () => {
  const folder = join(viewer, 'src');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const texts = new Map(
    files.map((name) => [basename(name, '.ts'), readFileSync(join(folder, name), 'utf8')]),
  );
  const imports = (name) =>
    [...texts.get(name).matchAll(/from '\.\/(\w+)'/g)].map((match) => match[1]);
  const visit = (name, above) => {
    assert.ok(!above.includes(name), `a circle of imports: ${[...above, name].join(' -> ')}`);
    for (const next of imports(name)) visit(next, [...above, name]);
  };
  for (const name of texts.keys()) visit(name, []);
  for (const [name, text] of texts)
    text.split('\n').forEach((line, i) => assert.ok(line.length <= 100, `${name}.ts:${i + 1}`));
});

test('arrows keep their scale until forces come and stay', { skip }, async () => {
  const { UsualForce } = await load('forces.ts');
  const forces = [];
  const run = {
    get frameCount() {
      return forces.length;
    },
    frames: {
      frame: (index) => ({ contacts: { count: 2, force: [0, 0, 1, 0, 0, forces[index]] } }),
    },
  };
  const usual = new UsualForce();
  const grow = (...more) => {
    forces.push(...more);
    return usual.grow({ runs: [run], timeline: run });
  };
  const many = (count, force) => Array(count).fill(force);
  assert.ok(grow(...many(100, 2)));
  assert.equal(usual.force, 2);
  // a blow changes nothing, nor does what is a little stronger
  assert.ok(!grow(50));
  assert.ok(!grow(...many(20, 9)));
  assert.equal(usual.force, 2);
  // a hundred times as strong, and it stays
  assert.ok(!grow(...many(5, 200)));
  assert.ok(grow(...many(20, 200)));
  assert.ok(usual.force >= 200 / 5 && usual.force <= 200, String(usual.force));
  assert.ok(!grow(...many(20, 220)));
});
