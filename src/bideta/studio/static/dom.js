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
// A share that may not be known.
export const maybe = (value) => value === null ? "–" : percent(value);
export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export function meter(value, label) {
  const inner = make("div");
  inner.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
  return make("div", { class: "meter", role: "img", "aria-label": label }, inner);
}

// Every picture of a contact follows the page's look: picture, difference (to the background) or contrast (enlarged).
let look = "picture";
const address = ({ of, large }) => `/v1/sessions/${of}/image?look=${look}${large ? "&large=true" : ""}`;

export function picture(session, id, alt = "", large = false) {
  const image = make("img", { alt, loading: "lazy", decoding: "async", "data-of": `${session}/contacts/${id}`, "data-large": large ? "yes" : null });
  image.src = address(image.dataset);
  return image;
}

export function lookAt(name) {
  look = name;
  for (const image of document.querySelectorAll("img[data-of]")) image.src = address(image.dataset);
}

export function options(select, values, chosen) {
  fill(select, ...values.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

let timer = 0;
export function notify(text, bad = false) {
  const place = find("#notice");
  fill(place, make("span", {}, text), make("button", { type: "button", class: "quiet", "aria-label": "Dismiss", onclick: () => { place.hidden = true; } }, "✕"));
  place.classList.toggle("bad", bad);
  place.hidden = !text;
  clearTimeout(timer);
  if (text && !bad) timer = setTimeout(() => { place.hidden = true; }, 6000);
}
