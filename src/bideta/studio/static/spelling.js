// A label that no object has yet: asked about before it makes a new one.

const CLOSE = 0.34; // of the longer word: letters that differ

function distance(a, b) {
  let row = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) row.push(Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] !== b[j - 1])));
  }
  return row[b.length];
}

// The known object that a name is probably a misspelling of, or null.
export function meant(name, known) {
  const begins = known.filter((other) => other.toLowerCase().startsWith(name.toLowerCase()));
  if (begins.length === 1) return begins[0];
  const near = known.map((other) => [distance(name.toLowerCase(), other.toLowerCase()) / Math.max(name.length, other.length, 1), other]).sort((a, b) => a[0] - b[0])[0];
  return near && near[0] <= CLOSE ? near[1] : null;
}

// The label to use: the typed one, the one that was meant, or null where the person thinks again.
export function confirmed(name, known) {
  if (!known.length || known.includes(name)) return Promise.resolve(name);
  const near = meant(name, known);
  const dialog = document.querySelector("#new-object");
  dialog.querySelector("p").textContent = `New object “${name}”?${near ? ` (did you mean ${near})` : ""}`;
  const instead = dialog.querySelector("[value=meant]");
  instead.hidden = !near;
  instead.textContent = `It is ${near}`;
  dialog.returnValue = "";
  dialog.showModal();
  (near ? instead : dialog.querySelector("[value=new]")).focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve({ new: name, meant: near }[dialog.returnValue] ?? null), { once: true });
  });
}
