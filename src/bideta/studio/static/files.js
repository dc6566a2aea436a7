// What was dropped or chosen: files with the folder they came from.

const IMAGE = /\.(png|jpe?g|bmp|tiff?|webp)$/i;
export const VIDEO = /\.(mp4|webm|mov|mkv|avi|ogv)$/i;

// → [{file, path}], folders walked to any depth, hidden files left out.
export async function dropped(transfer) {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const found = [];
  for (const entry of entries) {
    if (entry instanceof File) found.push({ file: entry, path: entry.name });
    else if (entry) await walk(entry, "", found);
  }
  return visible(found);
}

export function chosen(input) {
  return visible([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
}

async function walk(entry, parent, found) {
  const path = parent + entry.name;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    found.push({ file, path });
    return;
  }
  const reader = entry.createReader();
  for (;;) { // a reader gives at most 100 entries at a time
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) break;
    for (const child of some) await walk(child, `${path}/`, found);
  }
}

// A folder called "background" holds untouched pictures and is no class.
const visible = (found) => found
  .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")) && foldersOf(path).at(-1) !== "background")
  .sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));

// A folder called "press 1", "press-02", … holds frames of one press; the folder around it names the object.
const PRESS = /^press[ _-]?[0-9]/i;
const foldersOf = (path) => path.split("/").slice(0, -1);
const inPress = (path) => PRESS.test(foldersOf(path).at(-1) ?? "");
export const folderOf = (path) => foldersOf(path).at(inPress(path) ? -2 : -1) ?? null;
// The folders in which the folders of objects lie; more than one where somebody dropped a parent of support and queries.
export const homesOf = (paths) => [...new Set(paths.filter((path) => foldersOf(path).length > (inPress(path) ? 1 : 0))
  .map((path) => foldersOf(path).slice(0, inPress(path) ? -2 : -1).join("/")))];
export const pressOf = (path) => (inPress(path) ? foldersOf(path).join("/") : null);
export const isImage = (file) => IMAGE.test(file.name) || (file.type.startsWith("image/") && !/svg|gif/.test(file.type));
