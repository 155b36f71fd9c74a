// What tests that look at a replay share: pages that are ready, pictures of them, and what is in a
// picture.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { PNG } = createRequire(join(process.env.LIMPET_SOURCE_DIR ?? '.', 'viewer/'))('pngjs');

// A page of so many pixels, when it is ready.
export async function opened(browser, path, words, size = [1280, 800]) {
  const page = await browser.open(`${pathToFileURL(path)}#${words}`, ...size);
  await page.until('window.limpet && (window.limpet.ready || window.limpet.error)');
  assert.equal(await page.evaluate('window.limpet.error ?? null'), null);
  return page;
}

// World to pixels by the page's matrix, worked out here: [x y z 1] -> clip -> rectangle.
export function project({ matrix, rectangle }, [x, y, z]) {
  const row = (r) =>
    matrix[4 * r] * x + matrix[4 * r + 1] * y + matrix[4 * r + 2] * z + matrix[4 * r + 3];
  const w = row(3);
  const [left, top, width, height] = rectangle;
  return [left + ((row(0) / w + 1) / 2) * width, top + ((1 - row(1) / w) / 2) * height];
}

// Centre and size of the box around all pixels for which `belongs(r, g, b, at)`; `at`: where they
// lie in picture.data.
export function patch(picture, belongs) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, count: 0 };
  for (let y = 0; y < picture.height; ++y)
    for (let x = 0; x < picture.width; ++x) {
      const at = 4 * (y * picture.width + x);
      const [r, g, b] = picture.data.subarray(at, at + 3);
      if (!belongs(r, g, b, at)) continue;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
      ++box.count;
    }
  return { centre: [(box.left + box.right) / 2, (box.top + box.bottom) / 2], ...box };
}

// Standard deviation of the brightness: 0 for a blank picture.
export function contrast(picture) {
  let sum = 0;
  let squares = 0;
  const count = picture.width * picture.height;
  for (let i = 0; i < count; ++i) {
    const value = (picture.data[4 * i] + picture.data[4 * i + 1] + picture.data[4 * i + 2]) / 3;
    sum += value;
    squares += value * value;
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

// Pixels of a picture that are not those of another one, to be given to patch.
export const differsFrom = (other) => (r, g, b, at) =>
  Math.abs(r - other.data[at]) +
    Math.abs(g - other.data[at + 1]) +
    Math.abs(b - other.data[at + 2]) >
  30;

export const differentPixels = (a, b) => patch(a, differsFrom(b)).count;

export const picture = async (page) => PNG.sync.read(await page.screenshot());

export const isRed = (r, g, b) => r >= 90 && r >= 2.2 * g && r >= 2.2 * b;
