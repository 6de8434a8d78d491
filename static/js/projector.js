// The screen in the room: shows its pictures by turns, runs the clock, and sounds when it ends.

import { refreshOnNews } from "./news.js";
import { ENDED, spreadReconnects } from "./sockets.js";
import { timeText } from "./time-text.js";

const TURN = 20000; // ms that a picture is shown
const TICK = 500; // ms
const LEAST = 0.75; // of its width: no name is squeezed more
const GONG = [392, 330, 262]; // Hz
const room = document.getElementById("event");
const soundButton = document.getElementById("sound");

let ahead = 0; // ms by which the server's clock is ahead
let shown = ""; // the id of the picture shown
let half = 1; // of it, if its names need the room
let since = Date.now();
let running = ""; // the end that the clock runs towards
let sounded = ""; // the end that has been sounded

// The pictures ----------------------------------------------------------------------------------

const slides = () => [...document.querySelectorAll(".slide")];

function show(slide, which) {
  if (slide.id !== shown || which !== half) since = Date.now();
  shown = slide.id;
  half = which;
  for (const one of slides()) one.toggleAttribute("data-shown", one === slide);
  arrange(slide);
}

function turn() {
  const every = slides();
  const at = every.findIndex((one) => one.id === shown);
  if (at < 0) show(every[0], 1); // there is always one
  else if (Date.now() - since >= TURN) {
    since = Date.now();
    if (half === 1 && every[at].dataset.halves === "2") show(every[at], 2);
    else show(every[(at + 1) % every.length], 1);
  }
}

// Give names room: one column instead of two, and the picture in two halves, one after the other.
function arrange(slide) {
  slide.removeAttribute("data-roomy");
  slide.dataset.halves = "1";
  slide.dataset.half = half;
  const tight = () => [...slide.querySelectorAll(".body .fit")].some((one) => share(one) < LEAST);
  if (tight()) {
    slide.setAttribute("data-roomy", "");
    if (slide.querySelector("[data-in-half='2']")) slide.dataset.halves = "2";
  }
  fitNames();
}

// The share of its width that a name may take.
function share(name) {
  name.style.transform = name.style.maxWidth = "";
  const style = getComputedStyle(name.parentElement);
  const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  const wide = name.parentElement.clientWidth - padding;
  return name.offsetWidth > 0 ? Math.min(1, wide / name.offsetWidth) : 1;
}

// Squeeze names that are wider than their place; what is too long even so ends with dots.
function fitNames() {
  for (const one of document.querySelectorAll(".slide[data-shown] .fit")) {
    const left = share(one);
    one.classList.toggle("cut", left < LEAST);
    if (left < LEAST) one.style.maxWidth = `${(one.offsetWidth * left) / LEAST}px`;
    if (left < 1) one.style.transform = `scaleX(${Math.max(left, LEAST)})`;
  }
}

// The clock -------------------------------------------------------------------------------------

function tick() {
  for (const one of document.querySelectorAll("time[data-ends]")) {
    const left = Math.max(0, (Date.parse(one.dataset.ends) - Date.now() - ahead) / 1000);
    const up = left === 0 && one.dataset.timeUp;
    one.textContent = up || timeText(left);
    one.classList.toggle("up", Boolean(up));
    if (left > 0) running = one.dataset.ends;
    else if (one.dataset.ends === running && running !== sounded) {
      sounded = running;
      gong();
    }
  }
}

// The sound -------------------------------------------------------------------------------------

// Browsers play no sound before somebody has pressed something on the page, unless a setting allows it.
const audio = window.AudioContext ? new AudioContext() : null;

function gong() {
  if (audio?.state !== "running") return;
  GONG.forEach((pitch, at) => {
    const start = audio.currentTime + at;
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
    const loudness = new GainNode(audio, { gain: 0.4 });
    loudness.gain.setValueAtTime(0.4, start);
    loudness.gain.exponentialRampToValueAtTime(0.001, start + 1.8);
    tone.connect(loudness).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 2);
  });
}

function showSound() {
  soundButton.hidden = !audio || audio.state === "running";
}

soundButton.addEventListener("click", () => audio.resume().then(showSound).then(gong));
audio?.addEventListener("statechange", showSound);
showSound();

// Updates ---------------------------------------------------------------------------------------

function showAgain() {
  show(document.getElementById(shown), half);
}

function update() {
  const screens = document.getElementById("screens");
  ahead = Number(screens.dataset.now) - Date.now();
  const same = document.getElementById(shown);
  if (same) show(same, half);
  turn();
  tick();
}

document.documentElement.classList.add("turns");
document.addEventListener("htmx:after:swap", update);
addEventListener("resize", showAgain);
setInterval(() => { turn(); tick(); }, TICK);
update();
document.fonts.ready.then(showAgain);
navigator.wakeLock?.request("screen").catch(() => {}); // the screen may sleep where this is refused

if (room.hasAttribute("hx-ws:connect")) {
  room.addEventListener("htmx:ws:close", ({ detail }) => {
    if (ENDED.includes(detail.code)) detail.connection.config.reconnect = false;
  });
  spreadReconnects(room);
  refreshOnNews(room);
}
