// Elements from data. Text is always textContent: a file name can never become markup.

export const find = (selector, root = document) => root.querySelector(selector);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const fill = (element, ...children) => element.replaceChildren(...children.filter((c) => c !== null && c !== undefined));
export const percent = (value, digits = 0) => `${(100 * value).toFixed(digits)} %`;
export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export function meter(value, label) {
  const inner = make("div");
  inner.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
  return make("div", { class: "meter", role: "img", "aria-label": label }, inner);
}

export function picture(session, id, alt = "") {
  return make("img", { src: `/v1/sessions/${session}/contacts/${id}/image`, alt, loading: "lazy", decoding: "async" });
}

export function options(select, values, chosen) {
  fill(select, ...values.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

let timer = 0;
export function notify(text, bad = false) {
  const place = find("#notice");
  place.textContent = text;
  place.classList.toggle("bad", bad);
  place.hidden = !text;
  clearTimeout(timer);
  if (text && !bad) timer = setTimeout(() => { place.hidden = true; }, 6000);
}
