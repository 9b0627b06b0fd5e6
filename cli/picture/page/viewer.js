// SPDX-License-Identifier: MIT
// The page of `abut view`: a scene with its time, contacts and distances. Everything it shows is in
// the page; it asks nothing of the network. `window.abut` is for scripts and tests.
(function () {
'use strict';
const T = window.THREE;
const scene = JSON.parse(document.getElementById('abut-scene').textContent);
const $ = id => document.getElementById(id);

// ---- binary data ----
const bytes = (function () {
  const holder = $('abut-data'), text = holder.textContent.trim();
  holder.remove();
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out;
})();
const floats = (at, n) => new Float32Array(bytes.buffer, at, n);

// ---- words ----
const grades = { exact: 'proved by exact arithmetic', interval: 'proved by an interval enclosure', tolerance: 'within a tolerance, not proved', none: 'not proved' };
const number = x => { if (x === null || x === undefined) return '?'; const s = Number(x.toPrecision(6)); return Math.abs(s) >= 1e6 || (s !== 0 && Math.abs(s) < 1e-4) ? s.toExponential(3) : String(s); };
const enclosure = v => v[0] === null || v[1] === null ? (v[0] === null ? 'unknown' : 'at least ' + number(v[0])) : number(0.5 * (v[0] + v[1]));
const element = (tag, name, text) => { const e = document.createElement(tag); if (name) e.className = name; if (text !== undefined) e.textContent = text; return e; };

// ---- the renderer ----
const canvas = $('view');
const renderer = new T.WebGLRenderer({ canvas: canvas, antialias: scene.triangles < 400000, alpha: true, preserveDrawingBuffer: true });
renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
if ('outputColorSpace' in renderer) renderer.outputColorSpace = T.SRGBColorSpace;
else if ('gammaOutput' in renderer) { renderer.gammaOutput = true; renderer.gammaFactor = 2.2; } else renderer.outputEncoding = T.sRGBEncoding;
const world = new T.Scene(), camera = new T.PerspectiveCamera(32, 1, 0.01, 100);
camera.up.set(0, 0, 1);
const modern = Number(T.REVISION) >= 155, strength = modern ? Math.PI : 1;
const sky = new T.HemisphereLight(0xffffff, 0x8f8a82, 0.62 * strength), sun = new T.DirectionalLight(0xffffff, 0.78 * strength), fill = new T.DirectionalLight(0xdfe8ff, 0.2 * strength);
sky.position.set(0, 0, 1);
world.add(sky, sun, sun.target, fill, fill.target);
const shadows = scene.triangles < 250000;
const size = scene.radius, centre = new T.Vector3().fromArray(scene.centre);
if (shadows) {
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = T.PCFSoftShadowMap;
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  const c = sun.shadow.camera;
  c.left = c.bottom = -1.15 * size; c.right = c.top = 1.15 * size; c.near = 0.1 * size; c.far = 8 * size;
  sun.shadow.bias = -0.0004; sun.shadow.normalBias = 0.006 * size;
}

// Colours are written as a screen shows them; older versions of three.js take them as light.
function linear(colour) { return T.ColorManagement ? colour : colour.convertSRGBToLinear(); }

// ---- geometry ----
const geometries = scene.geometries.map(g => {
  const out = new T.BufferGeometry();
  out.setAttribute('position', new T.BufferAttribute(floats(g.v, 3 * g.vc), 3));
  const normals = new Int8Array(bytes.buffer, g.n, 4 * g.vc);
  out.setAttribute('normal', new T.InterleavedBufferAttribute(new T.InterleavedBuffer(normals, 4), 3, 0, true));
  out.setIndex(new T.BufferAttribute(g.w === 2 ? new Uint16Array(bytes.buffer, g.i, g.ic) : new Uint32Array(bytes.buffer, g.i, g.ic), 1));
  out.boundingSphere = new T.Sphere(new T.Vector3().fromArray(g.ball), g.ball[3]);
  let lines = null;
  if (g.ec) {
    lines = new T.BufferGeometry();
    lines.setAttribute('position', out.getAttribute('position'));
    lines.setIndex(new T.BufferAttribute(g.w === 2 ? new Uint16Array(bytes.buffer, g.e, g.ec) : new Uint32Array(bytes.buffer, g.e, g.ec), 1));
    lines.boundingSphere = out.boundingSphere;
  }
  return { body: out, lines: lines };
});

// Bodies of the same colour and kind share materials until they are highlighted.
const materials = new Map();
function material(object, hot) {
  const key = object.colour + (object.solid ? 's' : 'o') + (object.endless ? 'e' : '') + (hot ? 'h' : '') + (state.xray ? 'x' : '');
  if (!materials.has(key)) {
    const m = new T.MeshPhongMaterial({ color: object.endless ? (state.dark ? 0x59626e : 0xe9edf1) : object.colour, specular: 0x141414, shininess: 40, side: object.solid ? T.FrontSide : T.DoubleSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, transparent: state.xray && !object.endless, opacity: state.xray && !object.endless ? 0.45 : 1, depthWrite: !state.xray || object.endless });
    if (object.endless) m.side = T.FrontSide;
    linear(m.color);
    if (hot) { linear(m.emissive.setHex(0xd6003c)); m.emissiveIntensity = 0.55; }
    materials.set(key, m);
  }
  return materials.get(key);
}
const state = { time: scene.start, dark: false, xray: false, lines: true, arrows: true, playing: false, speed: 1 };
const inks = { light: new T.LineBasicMaterial({ color: 0x1b2430, transparent: true, opacity: 0.55 }), dark: new T.LineBasicMaterial({ color: 0x0a0d11, transparent: true, opacity: 0.65 }), grid: new T.LineBasicMaterial({ color: 0x8894a1, transparent: true, opacity: 0.5 }) };

const bodies = scene.objects.map((o, index) => {
  const node = new T.Group(), mesh = new T.Mesh(geometries[o.g[0]].body, null);
  mesh.userData.index = index;
  mesh.castShadow = shadows && !o.endless;
  mesh.receiveShadow = shadows;
  node.matrixAutoUpdate = false;
  node.add(mesh);
  const lines = new T.LineSegments(geometries[o.g[0]].lines || new T.BufferGeometry(), o.endless ? inks.grid : inks.light);
  lines.visible = !!geometries[o.g[0]].lines;
  node.add(lines);
  world.add(node);
  const body = { o: o, node: node, mesh: mesh, lines: lines, hot: false, frame: 0, shown: true, morph: null };
  if (o.morph) { // the same triangles at all times: their vertices are interpolated
    const from = geometries[o.g[0]], geometry = new T.BufferGeometry();
    geometry.setAttribute('position', new T.BufferAttribute(new Float32Array(from.body.getAttribute('position').array), 3));
    geometry.setIndex(from.body.index);
    mesh.geometry = body.morph = geometry;
    mesh.frustumCulled = lines.frustumCulled = false;
    if (from.lines) {
      lines.geometry = new T.BufferGeometry();
      lines.geometry.setAttribute('position', geometry.getAttribute('position'));
      lines.geometry.setIndex(from.lines.index);
    }
  }
  return body;
});

// ---- marks: dots and arrows ----
const Ball = T.SphereBufferGeometry || T.SphereGeometry, Cone = T.ConeBufferGeometry || T.ConeGeometry;
const dotGeometry = new Ball(1, 16, 12);
const dotMaterial = new T.MeshBasicMaterial({ color: 0xd6003c, depthTest: false, transparent: true });
const ringMaterial = new T.MeshBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true });
const dots = new T.Group(), arrowGroup = new T.Group();
dots.renderOrder = arrowGroup.renderOrder = 5;
world.add(dots, arrowGroup);
let shownPoints = [];
function showDots(points) {
  shownPoints = points;
  while (dots.children.length < 2 * points.length) {
    const ring = new T.Mesh(dotGeometry, ringMaterial), dot = new T.Mesh(dotGeometry, dotMaterial);
    ring.renderOrder = 6; dot.renderOrder = 7;
    dots.add(ring, dot);
  }
  dots.children.forEach((d, i) => { d.visible = i < 2 * points.length; if (d.visible) d.position.fromArray(points[i >> 1]); });
}
const arrowMaterial = new T.LineBasicMaterial({ color: 0xb00040, depthTest: false, transparent: true });
const headMaterial = new T.MeshBasicMaterial({ color: 0xb00040, depthTest: false, transparent: true });
[dotMaterial, arrowMaterial, headMaterial, inks.light, inks.dark, inks.grid].forEach(m => linear(m.color));
const coneGeometry = new Cone(0.42, 1.3, 14);
coneGeometry.translate(0, -0.65, 0);
function showArrows(list) {
  while (arrowGroup.children.length < list.length) {
    const g = new T.BufferGeometry();
    g.setAttribute('position', new T.BufferAttribute(new Float32Array(6), 3));
    const line = new T.LineSegments(g, arrowMaterial);
    line.frustumCulled = false; line.renderOrder = 5;
    for (let k = 0; k < 2; ++k) { const h = new T.Mesh(coneGeometry, headMaterial); h.renderOrder = 5; line.add(h); }
    arrowGroup.add(line);
  }
  arrowGroup.children.forEach((line, i) => {
    line.visible = i < list.length && state.arrows;
    if (!line.visible) return;
    const [a, b] = list[i].map(p => new T.Vector3().fromArray(p)), p = line.geometry.getAttribute('position');
    p.array.set([a.x, a.y, a.z, b.x, b.y, b.z]); p.needsUpdate = true;
    const d = b.clone().sub(a), length = d.length();
    line.children.forEach((h, k) => {
      h.visible = length > 0;
      h.position.copy(k ? b : a);
      if (length > 0) h.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), d.clone().multiplyScalar((k ? 1 : -1) / length));
      h.userData.most = 0.3 * length;
    });
  });
}

// ---- what holds at a time ----
function place(body, t) {
  const o = body.o, n = o.samples, m = body.node.matrix;
  const s = n > 1 ? Math.min(Math.max((t - scene.time[0]) / (scene.time[1] - scene.time[0]), 0), 1) * (n - 1) : 0;
  const i = Math.min(Math.floor(s), Math.max(n - 2, 0)), f = s - i;
  const a = floats(o.m + 48 * i, 12), b = n > 1 ? floats(o.m + 48 * (i + 1), 12) : a;
  const v = k => a[k] + f * (b[k] - a[k]);
  m.set(v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7), v(8), v(9), v(10), v(11), 0, 0, 0, 1);
  body.node.matrixWorldNeedsUpdate = true;
  if (o.g.length > 1) {
    const q = Math.min(Math.max((t - scene.time[0]) / (scene.time[1] - scene.time[0]), 0), 1) * (o.g.length - 1);
    if (body.morph) {
      const j = Math.min(Math.floor(q), o.g.length - 2), w = q - j, to = body.morph.getAttribute('position');
      const p = geometries[o.g[j]].body.getAttribute('position').array, r = geometries[o.g[j + 1]].body.getAttribute('position').array;
      for (let k = 0; k < p.length; ++k) to.array[k] = p[k] + w * (r[k] - p[k]);
      to.needsUpdate = true;
      body.morph.computeVertexNormals();
    } else {
      const j = Math.round(q);
      if (j !== body.frame) { body.frame = j; body.mesh.geometry = geometries[o.g[j]].body; if (geometries[o.g[j]].lines) body.lines.geometry = geometries[o.g[j]].lines; }
    }
  }
}
const range = scene.time[1] - scene.time[0];
function meets(pair, t) { // by the proved intervals where there are any, by checks otherwise
  const slack = 1e-9 * range;
  if (pair.intervals) return pair.intervals.some(v => t >= v[0] - slack && t <= v[3] + slack);
  const c = checkAt(pair, t);
  return !!c && (c.verdict === 'touching' || c.verdict === 'penetrating');
}
function checkAt(pair, t) {
  if (!pair.checks || !pair.checks.length) return null;
  let best = null;
  for (const c of pair.checks) if (!best || Math.abs(c.t - t) < Math.abs(best.t - t)) best = c;
  return best;
}
// Nearest points between two checks are interpolated.
function arrowAt(pair, t) {
  const c = pair.checks || [];
  let i = 0;
  while (i + 1 < c.length && c[i + 1].t <= t) ++i;
  if (!c.length || !c[i].points) return null;
  const next = c[i + 1];
  if (!next || !next.points || next.verdict !== c[i].verdict || next.t === c[i].t) return Math.abs(c[i].t - t) < 1e-9 * (range || 1) || !next ? c[i].points : c[i].points;
  const f = (t - c[i].t) / (next.t - c[i].t);
  return c[i].points.map((p, k) => p.map((x, j) => x + f * (next.points[k][j] - x)));
}
const firstFade = 0.03 * (range || 1);
function update(t) {
  state.time = t;
  for (const body of bodies) place(body, t);
  const hot = new Set(), arrows = [];
  let points = [];
  for (const pair of scene.pairs) {
    if (meets(pair, t)) { hot.add(pair.a); hot.add(pair.b); }
    const c = checkAt(pair, t), step = scene.checkStep;
    if (c && c.contacts && Math.abs(c.t - t) <= 0.5 * step && (!pair.intervals || meets(pair, t))) points = points.concat(c.contacts);
    if (scene.pairs.length <= 12 && bodies[pair.a].shown && bodies[pair.b].shown) { const a = arrowAt(pair, t); if (a) arrows.push(a); }
  }
  const first = scene.first;
  if (first && first.points && (first.verdict === 'contact' || first.verdict === 'overlapping') && t >= first.time[0] - 1e-9 * (range || 1) && t <= first.time[1] + firstFade) {
    const near = Math.abs(t - first.time[1]) <= 0.5 * scene.checkStep;
    points = first.points.map(p => p.p).concat(near ? [] : points);
    dotMaterial.opacity = ringMaterial.opacity = Math.max(0.15, 1 - (t - first.time[1]) / firstFade);
    first.points.forEach(p => { hot.add(p.a); hot.add(p.b); });
  } else dotMaterial.opacity = ringMaterial.opacity = 1;
  showDots(points.slice(0, 4000));
  showArrows(arrows);
  bodies.forEach((body, i) => {
    const now = hot.has(i);
    if (body.hot !== now || !body.mesh.material) { body.hot = now; body.mesh.material = material(body.o, now && !body.o.endless); if (body.row) body.row.classList.toggle('meeting', now); }
  });
  $('slider').value = String(t);
  $('now').textContent = 't = ' + number(t);
  describePairs(t);
  draw();
}
function refreshMaterials() { for (const body of bodies) { body.mesh.material = material(body.o, body.hot && !body.o.endless); body.lines.material = body.o.endless ? inks.grid : state.dark ? inks.dark : inks.light; } draw(); }

function describePairs(t) {
  const list = $('pairlist');
  const shown = scene.pairs.filter(p => p.checks && p.checks.length || p.intervals);
  $('pairs').hidden = shown.length === 0;
  const sorted = shown.length > 12 ? shown.filter(p => meets(p, t)).slice(0, 12) : shown;
  list.textContent = '';
  for (const pair of sorted) {
    const li = element('li'), c = checkAt(pair, t), meeting = meets(pair, t);
    li.append(element('div', 'who', scene.objects[pair.a].name + ' – ' + scene.objects[pair.b].name));
    let words = meeting ? 'in contact' : 'apart';
    // Within rounding of a touch a check is undecided where the intervals are not.
    const known = c && Math.abs(c.t - t) <= 0.5 * scene.checkStep && (c.verdict !== 'undecided' || !pair.intervals);
    if (known) {
      words = c.verdict;
      if (c.verdict === 'separate') words += ', distance ' + enclosure(c.distance);
      if (c.verdict === 'penetrating') words += c.depth ? ', depth ' + enclosure(c.depth) : ', depth not known';
    }
    li.append(element('div', meeting ? 'meets' : '', words));
    li.append(element('div', 'quiet', grades[(known ? c.proof : pair.proof) || 'none']));
    list.append(li);
  }
  if (!sorted.length && shown.length) list.append(element('li', 'quiet', 'no pair of ' + shown.length + ' is in contact'));
}

// ---- camera ----
const eye = { azimuth: 0, elevation: 0, distance: 1, target: new T.Vector3() };
function resetEye() {
  const fov = 0.5 * camera.fov * Math.PI / 180, aspect = Math.min(camera.aspect, 1.2);
  Object.assign(eye, { azimuth: -60 * Math.PI / 180, elevation: 24 * Math.PI / 180, distance: 0.92 * size / Math.sin(Math.atan(Math.tan(fov) * Math.min(aspect, 1))) });
  eye.target.copy(centre);
  draw();
}
let asked = false;
function draw() { if (!asked) { asked = true; requestAnimationFrame(render); } }
const offset = new T.Vector3();
function render() {
  asked = false;
  offset.set(Math.cos(eye.elevation) * Math.cos(eye.azimuth), Math.cos(eye.elevation) * Math.sin(eye.azimuth), Math.sin(eye.elevation));
  camera.position.copy(eye.target).addScaledVector(offset, eye.distance);
  camera.near = Math.max(eye.distance - 4 * size, 0.002 * eye.distance);
  camera.far = eye.distance + 6 * size;
  camera.updateProjectionMatrix();
  camera.lookAt(eye.target);
  const side = new T.Vector3(-Math.sin(eye.azimuth), Math.cos(eye.azimuth), 0);
  sun.target.position.copy(centre); fill.target.position.copy(centre);
  sun.position.copy(centre).addScaledVector(offset, 1.6 * size).addScaledVector(side, -1.8 * size); sun.position.z += 2.8 * size;
  fill.position.copy(centre).addScaledVector(offset, 2 * size).addScaledVector(side, 2 * size);
  sun.target.updateMatrixWorld(); fill.target.updateMatrixWorld();
  const unit = 2 * Math.tan(0.5 * camera.fov * Math.PI / 180) / canvas.clientHeight;
  const pixels = shownPoints.length > 300 ? 2.2 : shownPoints.length > 24 ? 3.4 : 5.5;
  dots.children.forEach((d, i) => { if (d.visible) d.scale.setScalar(camera.position.distanceTo(d.position) * unit * (i & 1 ? pixels : pixels + 1.6)); });
  arrowGroup.children.forEach(line => line.children.forEach(h => { if (h.visible) h.scale.setScalar(Math.min(camera.position.distanceTo(h.position) * unit * 9, h.userData.most)); }));
  renderer.render(world, camera);
  if (!api.ready) { api.ready = true; api.opened = performance.now(); document.body.dataset.ready = 'yes'; }
}
function resize() {
  const w = window.innerWidth, h = window.innerHeight;
  renderer.setSize(w, h, false);
  camera.aspect = w / h;
  camera.updateProjectionMatrix();
  draw();
}
window.addEventListener('resize', resize);
const fingers = new Map();
canvas.addEventListener('pointerdown', e => { fingers.set(e.pointerId, e); canvas.setPointerCapture(e.pointerId); canvas.classList.add('moving'); });
canvas.addEventListener('pointerup', e => { fingers.delete(e.pointerId); canvas.classList.remove('moving'); });
canvas.addEventListener('pointercancel', e => fingers.delete(e.pointerId));
canvas.addEventListener('contextmenu', e => e.preventDefault());
function pan(dx, dy) {
  const k = 2 * eye.distance * Math.tan(0.5 * camera.fov * Math.PI / 180) / canvas.clientHeight;
  const right = new T.Vector3().setFromMatrixColumn(camera.matrix, 0), up = new T.Vector3().setFromMatrixColumn(camera.matrix, 1);
  eye.target.addScaledVector(right, -dx * k).addScaledVector(up, dy * k);
}
function zoom(f) { eye.distance = Math.min(Math.max(eye.distance * f, 1e-3 * size), 60 * size); }
canvas.addEventListener('pointermove', e => {
  const last = fingers.get(e.pointerId);
  if (!last) return;
  const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
  if (fingers.size === 2) {
    const other = [...fingers.values()].find(f => f.pointerId !== e.pointerId);
    const before = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY), after = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
    if (before > 0 && after > 0) zoom(before / after);
    pan(dx / 2, dy / 2);
  } else if (e.buttons & 6 || e.shiftKey) pan(dx, dy);
  else { eye.azimuth -= 0.008 * dx; eye.elevation = Math.min(Math.max(eye.elevation + 0.008 * dy, -1.55), 1.55); }
  fingers.set(e.pointerId, e);
  draw();
});
canvas.addEventListener('wheel', e => { e.preventDefault(); zoom(Math.exp(Math.max(-0.5, Math.min(0.5, 0.0015 * e.deltaY)))); draw(); }, { passive: false });
const pointer = new T.Raycaster();
canvas.addEventListener('dblclick', e => { // look at what is there
  pointer.setFromCamera(new T.Vector2(2 * e.clientX / canvas.clientWidth - 1, 1 - 2 * e.clientY / canvas.clientHeight), camera);
  const hit = pointer.intersectObjects(bodies.filter(b => b.node.visible).map(b => b.mesh))[0];
  if (hit) { eye.target.copy(hit.point); eye.distance *= 0.6; draw(); }
});

// ---- the list of bodies ----
function setShown(body, shown) { body.shown = shown; body.node.visible = shown; if (body.box) body.box.checked = shown; }
const listed = document.createDocumentFragment();
bodies.forEach(body => {
  const li = element('li'), box = element('input'), swatch = element('span', 'swatch');
  box.type = 'checkbox'; box.checked = true; box.setAttribute('aria-label', 'show ' + body.o.name);
  box.addEventListener('change', () => { setShown(body, box.checked); update(state.time); });
  swatch.style.background = '#' + body.o.colour.toString(16).padStart(6, '0');
  li.append(box, swatch, element('span', 'name', body.o.name), element('span', 'kind', body.o.type));
  li.title = body.o.name + ': ' + body.o.type + (body.o.motion === 'static' ? ', at rest' : ', moves: ' + body.o.motion);
  body.row = li; body.box = box;
  listed.append(li);
});
$('bodies').append(listed);
$('count').textContent = bodies.length.toLocaleString('en') + ' · ' + scene.triangles.toLocaleString('en') + ' triangles';
$('filter').addEventListener('input', () => { const f = $('filter').value.toLowerCase(); bodies.forEach(b => { b.row.hidden = !(b.o.name + ' ' + b.o.type).toLowerCase().includes(f); }); });
const setAll = on => { bodies.forEach(b => { if (!b.row.hidden) setShown(b, on); }); draw(); };
$('all').addEventListener('click', () => setAll(true));
$('none').addEventListener('click', () => setAll(false));

// ---- the answer and the time line ----
(function () {
  const first = scene.first, answer = $('answer');
  if (!first || !first.known) answer.textContent = 'First contact: ' + (first && first.why ? first.why + '.' : 'not asked.');
  else {
    const names = [...new Set((first.points || []).map(p => scene.objects[p.a].name + ' – ' + scene.objects[p.b].name))];
    const who = names.slice(0, 3).join(', ') + (names.length > 3 ? ' and ' + (names.length - 3) + ' more' : '');
    if (first.verdict === 'contact') { answer.append('First contact at ', element('b', '', 't = ' + number(first.time[1])), who ? ': ' + who : '', '. '); }
    else if (first.verdict === 'separate') answer.append(element('span', 'none', 'No contact'), ' in the whole time. ');
    else if (first.verdict === 'overlapping') answer.append(element('b', '', 'They penetrate at the start'), who ? ': ' + who : '', '. ');
    else answer.append('Undecided', first.time ? ': a contact may come from t = ' + number(first.time[0]) + ' on. ' : '. ');
    answer.append(element('span', 'grade', grades[first.proof || 'none']));
    if (first.verdict === 'contact' && first.width > 0) answer.append(element('span', 'quiet', ' time enclosed to ' + first.width.toExponential(1)));
  }
  $('notes').textContent = scene.notes.join(' ');
})();
const at = t => range > 0 ? 100 * (t - scene.time[0]) / range + '%' : '0%';
(function () {
  const slider = $('slider');
  slider.min = scene.time[0]; slider.max = scene.time[1]; slider.value = scene.start;
  const withBars = scene.pairs.filter(p => p.intervals && p.intervals.length);
  for (const pair of withBars.slice(0, 6)) {
    const bar = element('div', 'bar');
    bar.title = scene.objects[pair.a].name + ' – ' + scene.objects[pair.b].name + ': ' + pair.intervals.map(v => 'in contact from ' + number(v[0]) + ' to ' + number(v[3])).join(', ') + ' (' + grades[pair.proof || 'none'] + ')';
    for (const v of pair.intervals.slice(0, 400)) { const i = element('i'); i.style.left = at(v[0]); i.style.width = range > 0 ? Math.max(100 * (v[3] - v[0]) / range, 0) + '%' : '100%'; bar.append(i); }
    $('bars').append(bar);
  }
  const ticks = $('ticks');
  ticks.append(element('span', '', number(scene.time[0])));
  const end = element('span', 'end', number(scene.time[1])); end.style.left = '100%'; ticks.append(end);
  const first = scene.first;
  if (first && first.known && first.verdict === 'contact') {
    const mark = element('div', 'mark'), label = element('span', 'hit', number(first.time[1]));
    mark.style.left = label.style.left = at(first.time[1]);
    $('bars').append(mark);
    ticks.append(label);
  } else $('jump').hidden = true;
})();

// ---- controls ----
let last = 0;
function tick(now) {
  if (!state.playing) return;
  const dt = Math.min((now - last) / 1000, 0.1);
  last = now;
  let t = state.time + dt * state.speed * range / 6;
  if (t > scene.time[1]) t = scene.time[0];
  update(t);
  requestAnimationFrame(tick);
}
function play(on) { state.playing = on && range > 0; $('play').innerHTML = state.playing ? '&#10074;&#10074;' : '&#9654;'; $('play').setAttribute('aria-label', state.playing ? 'pause' : 'play'); if (state.playing) { if (state.time >= scene.time[1]) state.time = scene.time[0]; last = performance.now(); requestAnimationFrame(tick); } }
$('play').addEventListener('click', () => play(!state.playing));
$('slider').addEventListener('input', () => { play(false); update(Number($('slider').value)); });
$('speed').addEventListener('change', () => { state.speed = Number($('speed').value); });
const jump = () => { if (scene.first && scene.first.known && scene.first.verdict === 'contact') { play(false); update(scene.first.time[1]); } };
$('jump').addEventListener('click', jump);
$('reset').addEventListener('click', resetEye);
function toggle(id, key, then) { $(id).addEventListener('click', () => { state[key] = !state[key]; $(id).setAttribute('aria-pressed', state[key]); then(); }); }
toggle('xray', 'xray', refreshMaterials);
toggle('arrows', 'arrows', () => update(state.time));
toggle('lines', 'lines', () => { for (const b of bodies) b.lines.visible = state.lines && !!b.lines.geometry.index; draw(); });
function theme(dark) { state.dark = dark; document.documentElement.dataset.theme = dark ? 'dark' : 'light'; $('theme').textContent = dark ? 'Light' : 'Dark'; materials.clear(); arrowMaterial.color.setHex(dark ? 0xffd166 : 0xb00040); linear(arrowMaterial.color); headMaterial.color.copy(arrowMaterial.color); refreshMaterials(); }
$('theme').addEventListener('click', () => theme(!state.dark));
function shot() {
  render();
  const out = document.createElement('canvas'), g = out.getContext('2d');
  out.width = canvas.width; out.height = canvas.height;
  const css = getComputedStyle(document.documentElement), shade = g.createLinearGradient(0, 0, 0, out.height);
  shade.addColorStop(0, css.getPropertyValue('--bg0').trim()); shade.addColorStop(1, css.getPropertyValue('--bg1').trim());
  g.fillStyle = shade; g.fillRect(0, 0, out.width, out.height); g.drawImage(canvas, 0, 0);
  return out.toDataURL('image/png');
}
$('shot').addEventListener('click', () => { const a = element('a'); a.href = shot(); a.download = scene.title.replace(/\.json$/, '') + '-' + number(state.time) + '.png'; a.click(); });
window.addEventListener('keydown', e => {
  if (e.target.tagName === 'INPUT' && e.target.type === 'search') return;
  const keys = { ' ': () => play(!state.playing), r: resetEye, c: jump, x: () => $('xray').click(), e: () => $('lines').click(), d: () => $('arrows').click(), s: () => $('shot').click(), t: () => $('theme').click() };
  const f = keys[e.key.toLowerCase()];
  if (f && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); f(); }
});

const api = window.abut = {
  ready: false, scene: scene, setTime: update, setTheme: theme, screenshot: shot,
  get time() { return state.time; },
  get contacts() { return shownPoints.map(p => p.slice()); },
  get arrows() { return arrowGroup.children.filter(a => a.visible).length; },
  get meeting() { return bodies.filter(b => b.hot).map(b => b.o.name); },
  position(name) { const b = bodies.find(x => x.o.name === name); b.node.updateMatrixWorld(); return new T.Vector3().setFromMatrixPosition(b.node.matrix).toArray(); },
  vertices(name) { const b = bodies.find(x => x.o.name === name); return Array.from(b.mesh.geometry.getAttribute('position').array.slice(0, 300)); },
  visible(name) { return bodies.find(x => x.o.name === name).node.visible; },
  get triangles() { return renderer.info.render.triangles; },
};
if (window.matchMedia && matchMedia('(prefers-color-scheme: dark)').matches) theme(true);
resize();
resetEye();
update(scene.start);
})();
