// Frames from a camera or a video file, grabbed one at a time.

import { find, notify } from "./dom.js";

let stream = null;
let address = null;
let grabbed = null;
let number = 0;
let taken = 0;

export function start() {
  find("#camera-close").addEventListener("click", close);
  find("#camera-grab").addEventListener("click", grab);
  find("#camera-video").addEventListener("loadeddata", () => { find("#camera-grab").disabled = false; });
  find("#camera-seek").addEventListener("input", (event) => {
    const video = find("#camera-video");
    if (video.duration) video.currentTime = (event.target.value / 1000) * video.duration;
  });
}

export async function openCamera(callback) {
  try {
    const found = await navigator.mediaDevices.getUserMedia({ video: true });
    open(callback);
    stream = found;
    const video = find("#camera-video");
    video.srcObject = found;
    await video.play();
  } catch (error) {
    notify(error.name === "NotAllowedError" ? "The browser was not allowed to use the camera." : `No camera can be used: ${error.message}`, true);
  }
}

export function openVideo(file, callback) {
  open(callback);
  address = URL.createObjectURL(file);
  const video = find("#camera-video");
  video.srcObject = null;
  video.src = address;
  video.onerror = () => { notify(`cannot read ${file.name}: the browser does not play this kind of video`, true); close(); };
  find("#camera-seek").hidden = false;
}

function open(callback) {
  close();
  grabbed = callback;
  taken = 0;
  find("#camera").hidden = false;
  find("#camera-seek").hidden = true;
  find("#camera-count").textContent = "";
  find("#camera-grab").disabled = true; // until there is a picture
  find("#camera-label").focus();
}

async function grab() {
  const video = find("#camera-video");
  if (!video.videoWidth) return;
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d").drawImage(video, 0, 0);
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  number += 1;
  taken += 1;
  await grabbed(blob, find("#camera-label").value.trim(), number);
  find("#camera-count").textContent = `${taken} grabbed`;
}

export function close() {
  const video = find("#camera-video");
  for (const track of stream?.getTracks() ?? []) track.stop();
  video.onerror = null;
  video.srcObject = null;
  video.removeAttribute("src");
  if (address) URL.revokeObjectURL(address);
  stream = address = null;
  find("#camera").hidden = true;
}
