// The replay without page loads: its links fetch the values of the position they lead to and show them in
// place. Arrow keys, Page Up and Page Down, and swipes follow the same links; the slider shows each position
// it passes; Play follows the link to the next card on a timer.

import { fillSpots } from "./spots.js";

const SWIPE = 48; // px
const PLAY_EVERY = 1200; // ms
const STEPS = {
  ArrowLeft: "card_back",
  ArrowRight: "card_on",
  "Shift+ArrowLeft": "trick_back",
  "Shift+ArrowRight": "trick_on",
  PageUp: "deal_back",
  PageDown: "deal_on",
};

const slider = document.getElementById("replay-slider");
const log = document.getElementById("replay-log");
const queue = []; // steps requested during a fetch
let pending = null; // the AbortController of the fetch under way; at most one
let values = JSON.parse(document.getElementById("values").textContent);

async function fetchValues(address, signal) {
  const response = await fetch(address, { headers: { Accept: "application/json" }, signal });
  return response.ok ? response.json() : {};
}

async function show(address, remember, sliding = false) {
  pending?.abort();
  const mine = new AbortController();
  pending = mine;
  showTrouble(false);
  const moment = await fetchValues(address, mine.signal).catch(() => null);
  if (pending !== mine) return;
  if (moment && !moment.said) {
    location.assign(address);
    return;
  }
  pending = null;
  if (moment) {
    put(moment, sliding);
    if (remember) history.pushState({}, "", address);
    takeNextStep();
    if (!pending) scheduleNextCard();
  } else {
    pause();
    queue.length = 0;
    showTrouble(true);
  }
}

function put(moment, sliding) {
  const before = values;
  values = moment;
  fillSpots(Object.keys(moment), moment, before);
  if (!sliding) slider.value = moment.step;
  document.getElementById("replay-live").textContent = moment.said;
  log.scrollTop = log.scrollHeight;
}

function showTrouble(failed) {
  document.getElementById("replay-trouble").hidden = !failed;
}

// Each step starts from the position that the one before it led to.
function takeNextStep() {
  while (!pending && queue.length) {
    const link = document.querySelector(`a[data-step="${queue.shift()}"][href]`);
    if (link) show(link.href, true);
  }
}

function step(name) {
  queue.push(name);
  takeNextStep();
}

function jump(address, remember) {
  queue.length = 0;
  show(address, remember);
}

// Playing ----------------------------------------------------------------------------------

let playing = false;
let timer = 0; // for the next card

function showPlay() {
  const button = document.getElementById("replay-play");
  button.hidden = false;
  button.querySelector(".on").hidden = playing;
  button.querySelector(".off").hidden = !playing;
  document.querySelector("#replay-slide .by-form").hidden = true;
}

function scheduleNextCard() {
  clearTimeout(timer);
  if (!playing) return;
  if (values["way.card_on"]) timer = setTimeout(() => step("card_on"), PLAY_EVERY);
  else pause();
}

function pause() {
  playing = false;
  clearTimeout(timer);
  showPlay();
}

function playOrPause() {
  if (playing) {
    pause();
    return;
  }
  playing = true;
  showPlay();
  step("card_on");
  if (!pending) scheduleNextCard(); // at the end there is no next card
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#replay-play")) playOrPause();
});

function slideTo(remember, sliding) {
  pause();
  queue.length = 0;
  show(`?at=${values.hand}.${slider.value}&seat=${values.seat}`, remember, sliding);
}

document.addEventListener("input", (event) => {
  if (event.target === slider) slideTo(false, true);
});

document.addEventListener("change", (event) => {
  if (event.target === slider) slideTo(true, false);
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== "replay-slide") return;
  event.preventDefault();
  slideTo(true, false);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("#replay a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  pause();
  if (link.dataset.step) step(link.dataset.step);
  else jump(link.href, true);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key === " " && !event.target.closest("a, button")) {
    event.preventDefault();
    playOrPause();
    return;
  }
  const name = STEPS[`${event.shiftKey ? "Shift+" : ""}${event.key}`];
  if (!name) return;
  event.preventDefault();
  pause();
  if (!(event.repeat && pending)) step(name); // a key held down goes as fast as positions are loaded
});

let from = null;

document.addEventListener("touchstart", (event) => {
  from = event.target.closest(".cloth") && event.touches.length === 1 ? event.touches[0] : null;
}, { passive: true });

document.addEventListener("touchend", (event) => {
  if (!from) return;
  const to = event.changedTouches[0];
  const [across, down] = [to.clientX - from.clientX, to.clientY - from.clientY];
  if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) step(across < 0 ? "card_on" : "card_back");
});

window.addEventListener("popstate", () => {
  pause();
  jump(location.href, false);
});
showPlay();
