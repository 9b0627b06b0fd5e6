// SPDX-License-Identifier: MIT
// The page of `abut view` in a headless browser.
//   node view.test.mjs ABUT SOURCE_DIR SCRATCH_DIR
// Exits 77 where puppeteer-core or a browser is missing.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [abut, source, scratch] = process.argv.slice(2);
const browserFile = [process.env.ABUT_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(f => f && existsSync(f));
let puppeteer;
for (const folder of [join(source, 'build/browser'), import.meta.dirname, process.cwd()]) {
  try { puppeteer = puppeteer || (await import(pathToFileURL(createRequire(join(folder, 'here.js')).resolve('puppeteer-core')).href)).default; } catch { /* not there */ }
}
if (!puppeteer || !browserFile) {
  console.log('skipped: ' + (browserFile ? 'puppeteer-core' : 'a browser') + ' is not installed (make test-browser installs it)');
  process.exit(77);
}

mkdirSync(scratch, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), 'abut-browser-'));
const browser = await puppeteer.launch({ executablePath: browserFile, userDataDir: profile, headless: true, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist'] });
let failures = 0;
const check = (fine, words) => { if (!fine) { ++failures; console.log('  FAILED: ' + words); } };
const near = (a, b, e) => Math.abs(a - b) <= e;

// Writes the page of a scene, opens it from disk, and runs `then` on it.
async function open(name, scene, then, size = { width: 1100, height: 720 }) {
  const file = join(scratch, name + '.html'), began = Date.now();
  execFileSync(abut, ['view', scene, '-o', file, '--seconds', '8']);
  const wrote = Date.now() - began, page = await browser.newPage(), trouble = [], asked = [];
  await page.setViewport(size);
  page.on('console', m => { if (m.type() === 'error' || m.type() === 'warn') trouble.push(m.text()); });
  page.on('pageerror', e => trouble.push(String(e)));
  page.on('request', r => { if (!/^(file|data|blob):/.test(r.url())) asked.push(r.url()); });
  const start = Date.now();
  await page.goto(pathToFileURL(file).href, { waitUntil: 'load', timeout: 60000 });
  try { await page.waitForFunction('window.abut && window.abut.ready', { timeout: 30000 }); } catch { check(false, name + ': not ready: ' + trouble.join(' | ')); await page.close(); return; }
  const opened = Date.now() - start;
  console.log(`${name}: written in ${wrote} ms, open in ${opened} ms`);
  await then(page, opened);
  const errors = trouble.filter(t => !/GPU stall|swiftshader|GroupMarkerNotSet|fallback/i.test(t));
  check(errors.length === 0, name + ': the console says ' + errors.join(' | '));
  check(asked.length === 0, name + ': the page asks for ' + asked.join(' '));
  await page.close();
}
const ask = (command, scene) => JSON.parse(execFileSync(abut, [command, scene, '--json']).toString());
const setSlider = (page, t) => page.evaluate(t => { const s = document.getElementById('slider'); s.value = String(t); s.dispatchEvent(new Event('input')); }, t);
// How many pixels of a screenshot differ from the background at the left end of their row.
async function variety(page) {
  return page.evaluate(() => new Promise(done => {
    const i = new Image();
    i.onload = () => {
      const c = document.createElement('canvas'), g = c.getContext('2d');
      c.width = i.width; c.height = i.height; g.drawImage(i, 0, 0);
      const d = g.getImageData(0, 0, c.width, c.height).data;
      let n = 0;
      for (let k = 0; k < d.length; k += 4) { const left = k - k % (4 * c.width); n += Math.abs(d[k] - d[left]) + Math.abs(d[k + 1] - d[left + 1]) + Math.abs(d[k + 2] - d[left + 2]) > 24; }
      done(n);
    };
    i.src = window.abut.screenshot();
  }));
}

try {
  const ring = join(source, 'scenes/ring_and_cone.json'), first = ask('first', ring), t = first.time[1];
  await open('ring_and_cone', ring, async page => {
    check((await page.title()).includes('ring_and_cone'), 'the title names the scene');
    // the slider moves bodies
    await setSlider(page, 0);
    const before = await page.evaluate(() => window.abut.position('ring'));
    check((await page.evaluate(() => window.abut.contacts.length)) === 0, 'no contact at the start');
    await setSlider(page, 0.5);
    const half = await page.evaluate(() => window.abut.position('ring'));
    check(near(before[2], 4, 1e-6) && near(half[2], 2, 1e-5), `the ring is at ${before} and ${half}`);
    // contacts appear at the time that the command reports
    const at = async time => { await page.evaluate(x => window.abut.setTime(x), time); return page.evaluate(() => window.abut.contacts.length); };
    check((await at(t - 1e-6)) === 0, 'contacts before their time');
    check((await at(t)) === first.contacts.length, 'contacts at their time');
    check((await page.evaluate(() => window.abut.meeting.length)) === 2, 'both bodies are highlighted');
    await page.click('#jump');
    check(near(await page.evaluate(() => window.abut.time), t, 1e-12), 'the button goes to the first contact');
    const words = await page.$eval('#answer', e => e.textContent);
    check(words.includes('0.958333') && words.includes('interval enclosure'), 'the answer in words: ' + words);
    check((await variety(page)) > 20000, 'the screenshot is empty');
    // distances
    await setSlider(page, 0.2);
    check((await page.evaluate(() => window.abut.arrows)) === 1, 'the distance is an arrow');
    check((await page.$eval('#pairlist', e => e.textContent)).includes('distance'), 'the distance in words');
    // bodies can be hidden, the theme changed, the time played
    await page.click('#bodies li:nth-child(2) input');
    check(!(await page.evaluate(() => window.abut.visible('cone'))), 'a body is hidden');
    await page.click('#theme');
    check((await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', 'dark');
    await page.click('#play');
    await new Promise(done => setTimeout(done, 700));
    await page.click('#play');
    check((await page.evaluate(() => window.abut.time)) > 0.21, 'playing moves the time');
    await page.click('#reset');
    await page.screenshot({ path: join(scratch, 'ring_and_cone.png') });
  });
  await open('falling_sheet', join(source, 'scenes/falling_sheet.json'), async page => {
    const name = await page.evaluate(() => window.abut.scene.objects.find(o => o.motion === 'vertices').name);
    await setSlider(page, 0);
    const a = await page.evaluate(n => window.abut.vertices(n), name);
    await setSlider(page, 0.6);
    const b = await page.evaluate(n => window.abut.vertices(n), name);
    check(a.some((x, i) => Math.abs(x - b[i]) > 1e-3), 'vertices move');
    await page.screenshot({ path: join(scratch, 'falling_sheet.png') });
  });
  await open('checkerboard', join(source, 'scenes/checkerboard.json'), async page => {
    await page.evaluate(() => document.getElementById('jump').click());
    check((await page.evaluate(() => window.abut.contacts.length)) > 50, 'regions of contact');
    await page.screenshot({ path: join(scratch, 'checkerboard.png') });
  });
  // names that would break a page
  const odd = join(scratch, 'odd.json');
  writeFileSync(odd, JSON.stringify({ abut: 1, objects: [{ name: '</script><b>&"', shape: { type: 'sphere', radius: 1 } }, { name: 'é 球 @DATA@', shape: { type: 'halfspace', normal: [0, 0, 1], offset: -1 } }] }));
  await open('odd', odd, async page => {
    check((await page.evaluate(() => window.abut.scene.objects.map(o => o.name).join())) === '</script><b>&",é 球 @DATA@', 'odd names');
    check((await page.evaluate(() => window.abut.meeting.length)) === 2, 'a touch at rest');
  });
  // a thousand bodies
  const many = join(scratch, 'many.json'), objects = [];
  for (let i = 0; i < 1000; ++i) {
    const at = [i % 10 * 3, Math.floor(i / 10) % 10 * 3, Math.floor(i / 100) * 3];
    objects.push({ name: 'body ' + i, shape: [{ type: 'sphere', radius: 1 }, { type: 'box', half: [1, 0.5, 0.7] }, { type: 'torus', major: 1, minor: 0.3 }][i % 3], motion: { type: 'velocity', pose: { position: at }, linear: [0, 0, i % 2 ? 0.4 : -0.4], angular: [i % 3, 1, 0] } });
  }
  writeFileSync(many, JSON.stringify({ abut: 1, objects, pairs: [['body 0', 'body 1']] }));
  await open('many', many, async (page, opened) => {
    check((await page.$$eval('#bodies li', l => l.length)) === 1000, 'a thousand bodies are listed');
    check(opened < 15000, 'a thousand bodies open late');
    await page.screenshot({ path: join(scratch, 'many.png') });
  });
  // a million triangles
  const n = 708, lines = [];
  for (let j = 0; j < n; ++j) for (let i = 0; i < n; ++i) lines.push(`v ${i / n} ${j / n} ${0.05 * Math.sin(20 * i / n) * Math.cos(17 * j / n)}`);
  for (let j = 0; j + 1 < n; ++j) for (let i = 0; i + 1 < n; ++i) { const a = j * n + i + 1; lines.push(`f ${a} ${a + 1} ${a + n + 1}`, `f ${a} ${a + n + 1} ${a + n}`); }
  writeFileSync(join(scratch, 'million.obj'), lines.join('\n') + '\n');
  const million = join(scratch, 'million.json');
  writeFileSync(million, JSON.stringify({ abut: 1, objects: [{ name: 'land', shape: { type: 'mesh', file: 'million.obj' } }] }));
  await open('million', million, async (page, opened) => {
    check((await page.evaluate(() => window.abut.triangles)) >= 999698, 'a million triangles are drawn: ' + await page.evaluate(() => window.abut.triangles));
    check(opened < 5000, `a million triangles take ${opened} ms`);
    check((await variety(page)) > 20000, 'the million is not seen');
    await page.screenshot({ path: join(scratch, 'million.png') });
  });
  // a scene with an error writes no page
  writeFileSync(join(scratch, 'wrong.json'), '{"abut": 1, "objects": [{"name": "a", "shape": {"type": "sphere", "radius": -1}}]}');
  rmSync(join(scratch, 'wrong.html'), { force: true });
  let code = 0;
  try { execFileSync(abut, ['view', join(scratch, 'wrong.json'), '-o', join(scratch, 'wrong.html')], { stdio: 'pipe' }); } catch (e) { code = e.status; }
  check(code === 2 && !existsSync(join(scratch, 'wrong.html')), 'a wrong scene writes no page: exit ' + code);
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(failures ? failures + ' failures' : 'all fine');
process.exit(failures ? 1 : 0);
