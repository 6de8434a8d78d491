// The replay without loading the page again: its links fetch the values of the moment they lead to,
// which are put in their places. Arrow keys, Page Up and Page Down, and a swipe follow the same links.
// The slider shows each moment it is drawn over; Play follows the link to the next card by itself.

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
const waiting = []; // steps asked for while a moment is on its way
let visit = null; // the fetching of that moment; there is one at most
let values = JSON.parse(document.getElementById("values").textContent);

async function read(address, signal) {
  const response = await fetch(address, { headers: { Accept: "application/json" }, signal });
  return response.ok ? response.json() : {};
}

async function show(address, remember, sliding = false) {
  visit?.abort();
  const mine = new AbortController();
  visit = mine;
  trouble(false);
  const moment = await read(address, mine.signal).catch(() => null);
  if (visit !== mine) return;
  if (moment && !moment.said) {
    location.assign(address);
    return;
  }
  visit = null;
  if (moment) {
    put(moment, sliding);
    if (remember) history.pushState({}, "", address);
    walk();
    if (!visit) playOn();
  } else {
    pause();
    waiting.length = 0;
    trouble(true);
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

function trouble(whether) {
  document.getElementById("replay-trouble").hidden = !whether;
}

// Each step goes on from where the one before it has led.
function walk() {
  while (!visit && waiting.length) {
    const link = document.querySelector(`a[data-step="${waiting.shift()}"][href]`);
    if (link) show(link.href, true);
  }
}

function step(name) {
  waiting.push(name);
  walk();
}

function jump(address, remember) {
  waiting.length = 0;
  show(address, remember);
}

// Playing ----------------------------------------------------------------------------------

let playing = false;
let next = 0; // the timer of the next card

function showPlay() {
  const button = document.getElementById("replay-play");
  button.hidden = false;
  button.querySelector(".on").hidden = playing;
  button.querySelector(".off").hidden = !playing;
  document.querySelector("#replay-slide .by-form").hidden = true;
}

function playOn() {
  clearTimeout(next);
  if (!playing) return;
  if (values["way.card_on"]) next = setTimeout(() => step("card_on"), PLAY_EVERY);
  else pause();
}

function pause() {
  playing = false;
  clearTimeout(next);
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
  if (!visit) playOn(); // at the end there is no next card
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#replay-play")) playOrPause();
});

function slideTo(remember, sliding) {
  pause();
  waiting.length = 0;
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
  if (!(event.repeat && visit)) step(name); // a key held down goes as fast as the pages come
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
