// Colours: an object keeps its own when others come and go; quantities run from dark to light.

const known = new Map(); // session → name → slot

function slots(session) {
  if (!known.has(session)) {
    let kept = {};
    try { kept = JSON.parse(localStorage.getItem(`colours ${session}`)) ?? {}; } catch { /* private windows may refuse */ }
    known.set(session, new Map(Object.entries(kept)));
  }
  return known.get(session);
}

// Name → slot. A new object takes the lowest slot that no object has ever had here, so nobody changes colour.
export function slotsOf(session, names) {
  const mine = slots(session);
  let next = Math.max(-1, ...mine.values());
  let fresh = false;
  for (const name of names) if (!mine.has(name)) { mine.set(name, next += 1); fresh = true; }
  if (fresh) try { localStorage.setItem(`colours ${session}`, JSON.stringify(Object.fromEntries(mine))); } catch { /* kept in memory */ }
  return mine;
}

// Neighbouring slots get distant hues (the golden angle), and every third another lightness.
export function classColour(slot, dark) {
  const hue = (slot * 137.5) % 360, shift = [0, -8, 8][slot % 3];
  return dark ? `hsl(${hue} 62% ${66 + shift}%)` : `hsl(${hue} 58% ${41 + shift}%)`;
}

// Eleven points of viridis (Smith and van der Walt, CC0): even steps look even, also to colour-blind eyes and in grey.
const VIRIDIS = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"]
  .map((text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)));

export function valueColour(share) {
  const place = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1), i = Math.min(VIRIDIS.length - 2, Math.floor(place));
  return `rgb(${VIRIDIS[i].map((a, k) => Math.round(a + (VIRIDIS[i + 1][k] - a) * (place - i))).join(" ")})`;
}
export const valueGradient = () => `linear-gradient(to right, ${VIRIDIS.map((_, i) => valueColour(i / (VIRIDIS.length - 1))).join(", ")})`;
