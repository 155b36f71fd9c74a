// Drives a headless Chromium by the DevTools protocol over a pipe: no package is needed for it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const flags = [
  '--headless=new',
  '--no-sandbox',
  '--remote-debugging-pipe',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
];

export class Chromium {
  #next = 1;
  #waiting = new Map();
  #text = '';
  #folder = mkdtempSync(join(tmpdir(), 'limpet-chromium-'));
  errors = []; // uncaught exceptions, console errors and requests beyond the page, of all pages

  constructor(program = 'chromium') {
    this.process = spawn(program, [...flags, `--user-data-dir=${this.#folder}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => this.#receive(text));
    this.process.on('exit', () => this.#fail('chromium ended'));
    this.process.on('error', (error) => this.#fail(String(error)));
  }

  #fail(text) {
    for (const { reject } of this.#waiting.values()) reject(new Error(text));
    this.#waiting.clear();
  }

  #receive(text) {
    this.#text += text;
    for (let end; (end = this.#text.indexOf('\0')) >= 0; this.#text = this.#text.slice(end + 1)) {
      const message = JSON.parse(this.#text.slice(0, end));
      if (message.id) this.#answer(message);
      else this.#event(message);
    }
  }

  #answer({ id, result, error }) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }

  #event({ method, params }) {
    if (method === 'Runtime.exceptionThrown')
      this.errors.push(params.exceptionDetails.exception?.description ?? 'exception');
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      this.errors.push(params.args.map((value) => value.value ?? value.description).join(' '));
    if (method === 'Network.requestWillBeSent' && /^(https?|wss?):/.test(params.request.url))
      this.errors.push(`the page asks for ${params.request.url}`);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async open(url, width, height) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.send('Runtime.enable');
    await page.send('Network.enable');
    await page.resize(width, height);
    await page.send('Page.navigate', { url });
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    await this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

class Page {
  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
  }

  close() {
    return this.browser.send('Target.closeTarget', { targetId: this.target });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  resize(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until an expression is true; the limit is generous, because software rendering on a
  // loaded machine is slow.
  async until(expression, seconds = 60) {
    const end = Date.now() + 1000 * seconds;
    while (!(await this.evaluate(expression))) {
      if (Date.now() > end) throw new Error(`waited ${seconds} s for ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // PNG bytes of the window
  async screenshot() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  // A key as a person presses it; letters and named keys
  async press(key) {
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  async click(x, y) {
    const at = { x, y, button: 'left', clickCount: 1 };
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
  }
}
