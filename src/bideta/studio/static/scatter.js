// Points on a canvas: zoom, thumbnails, lasso, keyboard. Who shows them says what they are and how they are coloured.

import { count, fill, make, picture } from "./dom.js";

const MARGIN = 16, NEAR = 14; // px: around the points; how far a pointer may be off
const CLOSEST = 40; // times
const SIZE = { new: 4.5, labelled: 6.5 };

// One map in an element. show({points, colour, tags, note, session, open, look, label}):
// points {id, name, text, place: [x, y] in −1…1, kind, group}; colour(point, dark); tags {text, place, group};
// look(points) and label(points, text) are offered for what the lasso caught.
export class Scatter {
  constructor(place, name) {
    this.name = name;
    this.data = { points: [], tags: [] };
    this.view = { scale: 1, x: 0.5, y: 0.5 }; // the middle of what is in sight, in 0…1 of the whole
    this.chosen = new Set();
    this.path = null; // of the lasso, px
    this.current = null; // the point that pointer or keyboard is at
    this.faint = () => false;
    this.canvas = make("canvas", { tabindex: "0", role: "application", "aria-roledescription": "map", "aria-label": name });
    this.tip = make("div", { class: "tip", hidden: true });
    this.tags = make("div", { class: "tags", "aria-hidden": "true" });
    this.box = make("div", { class: "scatter" }, this.canvas, this.tags, this.tip);
    const tool = (text, label, work) => make("button", { type: "button", "aria-label": label, title: label, onclick: work }, text);
    this.lasso = tool("Lasso", "Draw around contacts (also shift and drag)", () => this.setLasso(!this.drawing));
    this.lasso.setAttribute("aria-pressed", "false");
    this.tools = make("div", { class: "row tools" }, tool("+", "Zoom in (+)", () => this.zoom(1.6)), tool("−", "Zoom out (−)", () => this.zoom(1 / 1.6)), tool("All", "The whole map (0)", () => this.reset()), this.lasso);
    this.caught = make("div", { class: "row caught", hidden: true });
    this.said = make("p", { class: "visually-hidden", "aria-live": "polite" });
    this.note = make("p", { class: "note" });
    fill(place, this.tools, this.box, this.said, this.caught, this.note);
    this.listen();
  }

  show(data) {
    this.data = data;
    const ids = new Set(data.points.map(({ id }) => id));
    for (const id of [...this.chosen]) if (!ids.has(id)) this.chosen.delete(id);
    this.current = data.points.find(({ id }) => id === this.current?.id) ?? null;
    const labelled = data.points.filter(({ kind }) => kind === "labelled").length;
    this.canvas.setAttribute("aria-label", `${this.name}: ${data.points.length - labelled} new, ${labelled} labelled`);
    fill(this.note, data.note, " Drag to move, ctrl and wheel to zoom. With the keyboard: arrows go from contact to contact, Enter opens, Space chooses, + − 0 zoom.");
    this.tip.hidden = true;
    this.offer();
    this.draw();
  }

  highlight(faint) { this.faint = faint; this.draw(); }

  // Place in px of a point of −1…1.
  at([x, y]) {
    const inner = this.side - 2 * MARGIN, { scale, x: cx, y: cy } = this.view;
    return [this.side / 2 + ((x + 1) / 2 - cx) * inner * scale, this.side / 2 + ((1 - y) / 2 - cy) * inner * scale];
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.side = this.box.clientWidth;
    if (!this.side) return;
    const ratio = devicePixelRatio || 1, pen = this.canvas.getContext("2d");
    const pixels = Math.round(this.side * ratio);
    if (this.canvas.width !== pixels) this.canvas.width = this.canvas.height = pixels;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.side, this.side);
    const style = getComputedStyle(this.canvas), [red] = style.color.match(/\d+/g).map(Number);
    const dark = red > 128, surface = style.backgroundColor;
    this.canvas.style.touchAction = this.view.scale > 1 || this.drawing ? "none" : "pan-y";
    this.data.under?.(pen, (place) => this.at(place), style, this.side);
    for (const kind of ["new", "labelled"]) {
      for (const point of this.data.points) {
        if (point.kind !== kind) continue;
        const [x, y] = this.at(point.place);
        if (x < -9 || y < -9 || x > this.side + 9 || y > this.side + 9) continue;
        pen.globalAlpha = this.faint(point) ? 0.12 : 1;
        shape(pen, x, y, kind);
        pen.fillStyle = this.data.colour(point, dark);
        pen.fill();
        const marked = this.chosen.has(point.id) || point === this.current;
        pen.lineWidth = marked ? 2.5 : 0.8;
        pen.strokeStyle = marked ? style.color : surface;
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
    if (this.path) {
      pen.beginPath();
      for (const [x, y] of this.path) pen.lineTo(x, y);
      pen.closePath();
      pen.setLineDash([5, 4]);
      pen.lineWidth = 1.5;
      pen.strokeStyle = style.color;
      pen.stroke();
      pen.setLineDash([]);
    }
    this.placeTags();
    if (this.current) this.placeTip();
  }

  // Names beside their points, the first place where none lies over another; without one, none.
  placeTags() {
    const taken = [], shown = [];
    const pen = this.canvas.getContext("2d"), { fontWeight, fontSize, fontFamily } = getComputedStyle(this.tags), height = 16;
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const length = (text) => Math.ceil(pen.measureText(text).width) + 6;
    for (const tag of this.data.tags) {
      const text = tag.text.length > 14 ? `${tag.text.slice(0, 13)}…` : tag.text;
      const [x, y] = this.at(tag.place), w = length(text);
      if (x < 0 || y < 0 || x > this.side || y > this.side) continue;
      const place = [12, 28, 44].flatMap((far) => [[0, -far], [0, far], [w / 2 + far - 4, 0], [-w / 2 - far + 4, 0], [w / 2, -far], [-w / 2, -far], [w / 2, far], [-w / 2, far]])
        .map(([dx, dy]) => ({ x: x + dx - w / 2, y: y + dy - height / 2, w, h: height }))
        .find((box) => box.x >= 0 && box.y >= 0 && box.x + w <= this.side && box.y + height <= this.side && !taken.some((other) => overlap(box, other)));
      if (!place) continue;
      taken.push(place);
      const element = make("span", { class: "tag", title: tag.text }, text);
      element.classList.toggle("faint", this.faint({ group: tag.group }));
      Object.assign(element.style, { left: `${place.x}px`, top: `${place.y}px`, width: `${w}px` });
      shown.push(element);
    }
    fill(this.tags, ...shown);
  }

  placeTip() {
    const [x, y] = this.at(this.current.place), wide = this.tip.offsetWidth, high = this.tip.offsetHeight;
    this.tip.style.left = `${Math.max(0, Math.min(this.side - wide, x > this.side / 2 ? x - wide - 14 : x + 14))}px`;
    this.tip.style.top = `${Math.max(0, Math.min(this.side - high, y - high / 2))}px`;
  }

  point(to, say = false) {
    if (to === this.current) return;
    this.current = to;
    this.tip.hidden = !to;
    this.canvas.style.cursor = to && !this.drawing ? "pointer" : this.drawing ? "crosshair" : "grab";
    if (to) fill(this.tip, picture(this.data.session, to.id), make("b", {}, to.text), make("small", {}, `${to.kind === "labelled" ? "labelled, " : ""}${to.name.split("/").slice(-2).join("/")}`));
    if (say && to) this.said.textContent = `${to.text}, ${to.kind === "labelled" ? "labelled" : "new"}, ${to.name}${this.chosen.has(to.id) ? ", chosen" : ""}`;
    this.draw();
  }

  near(x, y) {
    let best = null, least = NEAR;
    for (const point of this.data.points) {
      const [px, py] = this.at(point.place), far = Math.hypot(px - x, py - y);
      if (far < least && !this.faint(point)) [best, least] = [point, far];
    }
    return best;
  }

  zoom(by, x = this.side / 2, y = this.side / 2) {
    const inner = this.side - 2 * MARGIN, { scale } = this.view, next = Math.max(1, Math.min(CLOSEST, scale * by));
    const shift = (1 / scale - 1 / next) / inner; // what is under the pointer stays there
    this.move(next, this.view.x + (x - this.side / 2) * shift, this.view.y + (y - this.side / 2) * shift);
  }

  move(scale, x, y) {
    const edge = 0.5 / scale, within = (value) => Math.max(Math.min(edge, 0.5), Math.min(Math.max(1 - edge, 0.5), value));
    this.view = { scale, x: within(x), y: within(y) };
    this.draw();
  }

  reset() { this.move(1, 0.5, 0.5); }

  setLasso(on) {
    this.drawing = on;
    this.lasso.setAttribute("aria-pressed", String(on));
    this.canvas.style.cursor = on ? "crosshair" : "grab";
    this.draw();
  }

  listen() {
    const pointers = new Map();
    let moved = 0, spread = 0;
    const where = (event) => { const box = this.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      this.canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, where(event));
      moved = spread = 0;
      if (pointers.size === 1 && (this.drawing || event.shiftKey)) this.path = [where(event)];
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const here = where(event), before = pointers.get(event.pointerId);
      if (!before) { if (event.pointerType !== "touch") this.point(this.near(...here)); return; }
      pointers.set(event.pointerId, here);
      moved += Math.hypot(here[0] - before[0], here[1] - before[1]);
      if (this.path) { this.path.push(here); this.draw(); return; }
      const inner = (this.side - 2 * MARGIN) * this.view.scale;
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread) this.zoom(now / spread, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
        spread = now;
      } else if (moved > 4) this.move(this.view.scale, this.view.x - (here[0] - before[0]) / inner, this.view.y - (here[1] - before[1]) / inner);
    });
    const up = (event) => {
      if (!pointers.delete(event.pointerId) || pointers.size) return;
      if (this.path) { this.catch(this.path); this.path = null; this.draw(); return; }
      if (moved > 4 || event.type === "pointercancel") return;
      const found = this.near(...where(event));
      if (event.pointerType === "touch" && found !== this.current) this.point(found); // a first tap shows, a second opens
      else if (found) this.data.open(found);
    };
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
    this.canvas.addEventListener("pointerleave", () => { if (!pointers.size && document.activeElement !== this.canvas) this.point(null); });
    this.canvas.addEventListener("blur", () => this.point(null));
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 200), ...where(event));
    }, { passive: false });
    this.canvas.addEventListener("dblclick", (event) => { if (!this.near(...where(event))) this.zoom(2, ...where(event)); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.step(way);
    else if (event.key === "Enter" && this.current) this.data.open(this.current);
    else if (event.key === " " && this.current) this.toggle(this.current);
    else if (event.key === "Escape" && this.chosen.size) this.clear();
    else if (event.key === "+" || event.key === "=") this.zoom(1.6);
    else if (event.key === "-") this.zoom(1 / 1.6);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }

  // The nearest point that way; sideways counts double, so that a row of steps stays on its line.
  step([dx, dy]) {
    const from = this.current ? this.at(this.current.place) : [this.side / 2, this.side / 2];
    let best = null, least = Infinity;
    for (const point of this.data.points) {
      if (point === this.current || this.faint(point)) continue;
      const [x, y] = this.at(point.place), along = (x - from[0]) * dx + (y - from[1]) * dy, aside = Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx);
      const far = this.current ? along + 2 * aside : Math.hypot(x - from[0], y - from[1]);
      if (this.current && (along <= 0 || aside > 2 * along)) continue;
      if (far < least) [best, least] = [point, far];
    }
    if (!best) return;
    const [x, y] = this.at(best.place);
    if (x < 0 || y < 0 || x > this.side || y > this.side) this.move(this.view.scale, (best.place[0] + 1) / 2, (1 - best.place[1]) / 2);
    this.point(best, true);
  }

  toggle(point) {
    if (point.kind === "labelled" && this.data.label) return;
    if (!this.chosen.delete(point.id)) this.chosen.add(point.id);
    this.said.textContent = `${point.text} ${this.chosen.has(point.id) ? "chosen" : "not chosen"}; ${this.chosen.size} in all`;
    this.offer();
    this.draw();
  }

  catch(path) {
    const inside = this.data.points.filter((point) => !this.faint(point) && !(point.kind === "labelled" && this.data.label) && contains(path, this.at(point.place)));
    this.chosen = new Set(inside.map(({ id }) => id));
    this.said.textContent = `${count(this.chosen.size, "contact")} chosen`;
    this.offer();
  }

  clear() { this.chosen.clear(); this.offer(); this.draw(); }

  // What can be done with the chosen ones.
  offer() {
    const points = this.data.points.filter(({ id }) => this.chosen.has(id));
    this.caught.hidden = !points.length;
    if (!points.length) { fill(this.caught); return; }
    const input = make("input", { list: "classes", maxlength: "100", autocomplete: "off", placeholder: "object", "aria-label": "Object that all chosen contacts show" });
    const form = make("form", { class: "row", onsubmit: async (event) => {
      event.preventDefault();
      if (input.value.trim() && await this.data.label(points, input.value.trim())) this.clear();
    } }, input, make("button", { type: "submit", class: "primary" }, "Label all"));
    fill(this.caught, make("span", {}, `${count(points.length, "contact")} chosen`), this.data.label ? form : null,
      make("button", { type: "button", onclick: () => this.data.look(points) }, "Look at them"),
      make("button", { type: "button", class: "quiet", onclick: () => this.clear() }, "Clear"));
  }
}

function shape(pen, x, y, kind) {
  const r = SIZE[kind];
  pen.beginPath();
  if (kind === "new") { pen.arc(x, y, r, 0, 7); return; }
  for (const [dx, dy] of [[0, -r], [r, 0], [0, r], [-r, 0]]) pen.lineTo(x + dx, y + dy);
  pen.closePath();
}

const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

// Whether a closed path goes round a point (even-odd rule).
export function contains(path, [x, y]) {
  let inside = false;
  for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
    const [ax, ay] = path[i], [bx, by] = path[j];
    if ((ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}
