// A list of any length: only the cards in sight are in the document.

import { fill } from "./dom.js";

const ALL = 60; // cards: so few are simply there
const SPARE = 2; // rows above and below what is in sight
const views = new WeakMap();

// Shows items in a grid (or a wrapping row) as the elements that card(item) makes; a long list scrolls in its own box.
export function showList(list, items, card) {
  views.get(list)?.stop();
  views.delete(list);
  const long = items.length > ALL;
  list.classList.toggle("long", long);
  if (long) views.set(list, new View(list, items, card));
  else fill(list, ...items.map(card));
}

// Brings the card of a place into the document and gives it the focus.
export function focusCard(list, place) { views.get(list)?.focus(place); }

class View {
  constructor(list, items, card) {
    Object.assign(this, { list, items, card, made: new Map(), rowHeight: 0, columns: 1 });
    this.above = spacer(list);
    this.below = spacer(list);
    this.draw = this.draw.bind(this);
    this.keys = this.keys.bind(this);
    list.addEventListener("scroll", this.draw, { passive: true });
    list.addEventListener("keydown", this.keys);
    this.watch = new ResizeObserver(() => this.resized());
    fill(list);
    this.watch.observe(list);
    this.draw();
  }

  stop() {
    this.list.removeEventListener("scroll", this.draw);
    this.list.removeEventListener("keydown", this.keys);
    this.watch.disconnect();
    this.list.scrollTop = 0;
    this.list.style.height = "";
  }

  // Another width has other rows; what was at the top stays there.
  resized() {
    const there = this.rowHeight ? Math.floor(this.list.scrollTop / this.rowHeight) * this.columns : 0;
    if (this.list.clientWidth !== this.width) this.rowHeight = 0;
    this.draw();
    if (this.rowHeight && there) { this.list.scrollTop = Math.floor(there / this.columns) * this.rowHeight; this.draw(); }
  }

  measure() {
    const style = getComputedStyle(this.list);
    this.gap = parseFloat(style.rowGap) || 0;
    this.columns = Math.max(1, style.gridTemplateColumns.split(" ").filter((size) => parseFloat(size) > 0).length);
    this.list.style.height = "";
    fill(this.list, this.at(0));
    this.rowHeight = this.at(0).offsetHeight + this.gap;
    this.width = this.list.clientWidth;
    // The height of all rows, which the style cuts: without it the box would be as high as what happens to be in it.
    const pad = this.list.offsetHeight - this.at(0).offsetHeight;
    this.list.style.height = `${Math.ceil(this.items.length / this.columns) * this.rowHeight - this.gap + pad}px`;
  }

  at(place) {
    if (!this.made.has(place)) {
      const card = this.card(this.items[place]);
      card.dataset.place = place;
      card.setAttribute("aria-setsize", this.items.length);
      card.setAttribute("aria-posinset", place + 1);
      this.made.set(place, card);
    }
    return this.made.get(place);
  }

  draw() {
    if (!this.list.clientHeight && !this.list.offsetParent) return; // not shown; the observer calls again
    if (!this.rowHeight) this.measure();
    const rows = Math.ceil(this.items.length / this.columns);
    const first = Math.max(0, Math.floor(this.list.scrollTop / this.rowHeight) - SPARE);
    const last = Math.min(rows, Math.ceil((this.list.scrollTop + this.list.clientHeight) / this.rowHeight) + SPARE);
    const begin = first * this.columns, end = Math.min(this.items.length, last * this.columns);
    for (const place of this.made.keys()) if (place < begin || place >= end) this.made.delete(place);
    const cards = [];
    for (let place = begin; place < end; place++) cards.push(this.at(place));
    const height = (spaceRows) => `${Math.max(0, spaceRows * this.rowHeight - this.gap)}px`;
    this.above.style.height = height(first);
    this.below.style.height = height(rows - last);
    this.above.hidden = first === 0;
    this.below.hidden = last === rows;
    const wanted = [this.above, ...cards, this.below];
    if (wanted.length === this.list.childNodes.length && wanted.every((node, i) => node === this.list.childNodes[i])) return;
    const held = document.activeElement;
    for (const child of [...this.list.childNodes]) if (!wanted.includes(child)) child.remove();
    wanted.forEach((node, i) => { if (this.list.childNodes[i] !== node) this.list.insertBefore(node, this.list.childNodes[i] ?? null); });
    if (held !== document.activeElement && this.list.contains(held)) held.focus({ preventScroll: true });
  }

  keys(event) {
    const from = event.target.closest("[data-place]");
    if (!from || event.target.matches("input, select")) return;
    const place = Number(from.dataset.place), end = this.items.length - 1;
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, ArrowDown: place + this.columns, ArrowUp: place - this.columns, Home: 0, End: end }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.focus(Math.max(0, Math.min(end, to)));
  }

  focus(place) {
    const top = Math.floor(place / this.columns) * this.rowHeight, bottom = top + this.rowHeight;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    else if (bottom > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = bottom - this.list.clientHeight;
    this.draw();
    const card = this.at(place);
    (card.matches("button") ? card : card.querySelector("button"))?.focus({ preventScroll: true });
  }
}

function spacer(list) {
  const element = document.createElement(list.tagName === "UL" ? "li" : "div");
  element.className = "spacer";
  element.setAttribute("aria-hidden", "true");
  return element;
}
