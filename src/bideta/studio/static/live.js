// Live: frames of a camera or of a simulated sensor, each answered as it comes; one key corrects.

import { ask, get, upload } from "./api.js";
import { count, fill, find, make, meter, notify, options, percent } from "./dom.js";
import * as gel from "./gel.js";
import * as edits from "./history.js";
import { confirmed } from "./spelling.js";

const LONGEST = 640; // px of a side that are sent
const STRIP = 24; // frames of a press that are kept in sight
const RECENT = 20; // answers that the frame rate is measured on
let app;
let run = null; // what is going on: {source, socket, classes, frames, press, times, …}

export function start(shared) {
  app = shared;
  find("#live-start").addEventListener("click", () => (run ? stop() : begin()));
  find("#live-source").addEventListener("change", () => { stop(); show(); });
  find("#live-correct").addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = find("#live-label"), typed = input.value.trim();
    const frame = run?.last;
    if (!typed || !frame) return;
    const label = await confirmed(typed, app.classes());
    if (label) { input.value = ""; await correct(label, frame); }
  });
  document.addEventListener("keydown", (event) => {
    if (find("#live").hidden || !run || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select") || document.querySelector("dialog[open]")) return;
    if (/^[1-9]$/.test(event.key)) find(`#live-keys [data-key="${event.key}"]`)?.click();
    else if (event.key === "p") pause();
    else return;
    event.preventDefault();
  });
  find("#live-pause").addEventListener("click", pause);
}

export function show() {
  const select = find("#live-source"), sensors = app.info.example_sensors;
  const mine = sensors.find((name) => app.session.title.split(/[ :]/).includes(name)) ?? sensors[0];
  const values = [...(navigator.mediaDevices?.getUserMedia ? [["camera", "camera"]] : []), ...sensors.map((name) => [`simulated ${name}`, `simulated ${name}`])];
  const usual = app.session.simulated || values[0][0] !== "camera" ? `simulated ${mine}` : "camera";
  options(select, values, values.some(([value]) => value === select.value) && select.options.length ? select.value : usual);
  find("#live-empty").hidden = app.session.adapted;
  find("#live-start").disabled = !app.session.adapted;
  if (!run) idle();
}

function idle() {
  find("#live-start").textContent = "Start";
  find("#live-pause").hidden = true;
  find("#live-body").hidden = true;
}

export function stop() {
  if (!run) return;
  const ended = run;
  run = null;
  ended.socket?.close();
  ended.source?.close();
  for (const url of ended.urls) URL.revokeObjectURL(url);
  idle();
}

function pause() {
  if (!run) return;
  run.paused = !run.paused;
  find("#live-pause").textContent = run.paused ? "Go on (p)" : "Pause (p)";
  if (!run.paused) next(run);
}

async function begin() {
  const mine = run = { urls: new Set(), times: [], strip: [], press: 0, last: null, paused: false, right: 0, known: 0 };
  find("#live-start").textContent = "Stop";
  find("#live-pause").hidden = false;
  find("#live-pause").textContent = "Pause (p)";
  find("#live-body").hidden = false;
  find("#live-answer").textContent = "Opening …";
  fill(find("#live-strip"));
  fill(find("#live-keys"));
  try {
    const [kind, sensor] = find("#live-source").value.split(" ");
    mine.source = kind === "camera" ? await camera() : await simulated(sensor);
    if (run !== mine) { mine.source.close(); return; }
    await gel.open(app.session.session);
    await connect(mine);
  } catch (error) {
    notify(error.name === "NotAllowedError" ? "The browser was not allowed to use the camera." : error.message, true);
    if (run === mine) stop();
  }
}

function connect(mine) {
  const address = new URL(`/v1/stream?session=${app.session.session}&touch=true`, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  mine.socket?.close();
  const socket = mine.socket = new WebSocket(address), current = () => run === mine && mine.socket === socket;
  mine.sent = null;
  mine.source.again?.();
  socket.onmessage = ({ data }) => { if (current()) answered(mine, JSON.parse(data)); };
  socket.onclose = () => { if (current()) { notify("The connection to the server ended.", true); stop(); } };
}

// One frame is under way at a time: a slow server gets fewer frames, never old ones.
async function next(mine) {
  if (run !== mine || mine.paused || mine.sent || mine.taking) return;
  mine.taking = true;
  try {
    const frame = await mine.source.frame();
    if (run !== mine || mine.paused || mine.socket.readyState !== WebSocket.OPEN) return;
    mine.sent = frame;
    mine.socket.send(frame.blob);
  } catch (error) {
    if (run === mine) { notify(error.message, true); stop(); }
  } finally {
    mine.taking = false;
  }
}

function answered(mine, answer) {
  if (answer.ready && answer.classes) { mine.classes = answer.classes; next(mine); return; }
  if (answer.learned) { mine.classes = answer.classes; return; }
  const frame = mine.sent;
  mine.sent = null;
  if (answer.retry_after) { setTimeout(() => next(mine), 1000 * answer.retry_after); return; } // the server is busy
  if (answer.error) { notify(answer.error, true); stop(); return; }
  const now = performance.now();
  mine.times = [...mine.times, now].slice(-RECENT);
  speed(mine, now - frame.time);
  picture(mine, frame);
  if (answer.contact) touched(mine, frame, answer);
  else {
    if (answer.health) gel.add(answer.health);
    find("#live-state").textContent = answer.ready ? "nothing touches" : "learning the untouched gel: do not touch";
    if (answer.ready && !mine.last) find("#live-answer").textContent = "Touch something.";
    else if (!answer.ready) find("#live-answer").textContent = "Wait …";
  }
  setTimeout(() => next(mine), 0);
}

function speed(mine, age) {
  const span = mine.times.at(-1) - mine.times[0];
  const rate = span ? (1000 * (mine.times.length - 1)) / span : 0;
  find("#live-rate").textContent = rate.toFixed(1);
  find("#live-age").textContent = `${age.toFixed(0)} ms`;
}

function picture(mine, frame) {
  const canvas = find("#live-picture");
  canvas.width = frame.bitmap.width;
  canvas.height = frame.bitmap.height;
  canvas.getContext("2d").drawImage(frame.bitmap, 0, 0);
}

function touched(mine, frame, answer) {
  if (answer.press !== mine.press) {
    mine.press = answer.press;
    for (const url of mine.urls) URL.revokeObjectURL(url);
    mine.urls.clear();
    fill(find("#live-strip"));
  }
  mine.last = { ...frame, answer };
  const { press_label: label, press_probability: sure, press_proba: proba } = answer;
  find("#live-state").textContent = `press ${answer.press}, ${count(answer.frames, "frame")}`;
  find("#live-check").hidden = !answer.check;
  find("#live-check").textContent = answer.check?.warning ?? "";
  find("#live-answer").textContent = label;
  fill(find("#live-sure"), meter(sure, `probability ${percent(sure)}`), make("span", { class: "num" }, percent(sure)));
  const truth = frame.truth ?? null;
  find("#live-truth").textContent = truth === null ? "" : truth === label ? `✓ it is ${truth} (simulated)` : `✗ it is ${truth} (simulated)`;
  find("#live-truth").className = truth === null || truth === label ? "right" : "wrong";
  if (answer.frames === 1 || mine.keysOf !== answer.press) keys(mine, proba, answer.press);
  const url = URL.createObjectURL(frame.blob);
  mine.urls.add(url);
  const strip = find("#live-strip");
  strip.append(make("li", { title: `${answer.label}, ${percent(answer.probability)}` }, make("img", { src: url, alt: "" }), make("small", {}, answer.label), make("small", { class: "num" }, percent(answer.probability))));
  while (strip.children.length > STRIP) { const gone = strip.firstChild; const old = gone.querySelector("img").src; URL.revokeObjectURL(old); mine.urls.delete(old); gone.remove(); }
  strip.scrollLeft = strip.scrollWidth;
}

// A key for each of the likeliest objects. They keep their keys for the whole press: no finger hits another one.
function keys(mine, proba, press) {
  mine.keysOf = press;
  const order = proba.map((_, i) => i).sort((a, b) => proba[b] - proba[a]).slice(0, 9);
  fill(find("#live-keys"), ...order.map((c, i) => make("button", { type: "button", "data-key": String(i + 1), onclick: () => correct(mine.classes[c], run?.last) }, make("kbd", {}, String(i + 1)), mine.classes[c])));
}

// The frame becomes a labelled contact of the session, and the running sensor learns it at once.
async function correct(label, frame) {
  if (!run || !frame) return;
  try {
    if (frame.contact) await better(label, frame); else await learn(label, frame);
    await app.refresh();
    notify(`Learned: this is ${label}.`);
  } catch (error) {
    notify(error.message, true);
  }
}

async function learn(label, frame) {
  const mine = run;
  mine.number = (mine.number ?? 0) + 1;
  mine.socket.send(JSON.stringify({ learn: label }));
  const name = `live/${label}/${new Date().toISOString().slice(0, 19).replaceAll(":", "")}-${mine.number}.png`;
  const { added, rejected } = await upload(app.session.session, [{ file: new File([frame.blob], name), name, label, truth: null }], app.info, () => {});
  if (rejected.length) throw new Error(rejected[0].error);
  const [{ id }] = added;
  frame.contact = id;
  edits.remember(`live contact labelled ${label}`, async () => { await ask("DELETE", edits.contact(id)); frame.contact = null; });
}

// Another label for the frame that was labelled a moment ago.
async function better(label, frame) {
  await edits.relabel([frame.contact], label, `live contact labelled ${label}`);
  afresh();
}

// A new conversation: it knows the labels of now, and nothing that was taken back.
export function afresh() { if (run) connect(run); }

async function camera() {
  const stream = await navigator.mediaDevices.getUserMedia({ video: true });
  const video = make("video", { muted: true, playsInline: true });
  video.srcObject = stream;
  await video.play();
  const canvas = make("canvas");
  return {
    close: () => { for (const track of stream.getTracks()) track.stop(); },
    async frame() {
      const scale = Math.min(1, LONGEST / Math.max(video.videoWidth, video.videoHeight, 1));
      canvas.width = Math.max(1, Math.round(video.videoWidth * scale));
      canvas.height = Math.max(1, Math.round(video.videoHeight * scale));
      const time = performance.now();
      canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
      return { blob, time, bitmap: canvas };
    },
  };
}

async function simulated(sensor) {
  let press = Math.floor(Math.random() * 1000), frame = 0, facts = null;
  return {
    close() {},
    again() { press += 1; frame = 0; facts = null; }, // from an untouched gel
    async frame() {
      const base = `/v1/simulated/${encodeURIComponent(sensor)}/${press}`;
      facts ??= await get(base);
      const response = await fetch(`${base}/${frame}`);
      if (!response.ok) throw new Error("the server gives no simulated frame");
      const blob = await response.blob(), time = performance.now();
      const made = { blob, time, bitmap: await createImageBitmap(blob), truth: frame < facts.untouched ? null : facts.object };
      frame += 1;
      if (frame === facts.frames) { press += 1; frame = 0; facts = null; }
      return made;
    },
  };
}
