// Steps through the moments of a finished game without page loads: links fetch the values of the moment they
// lead to and show them in place. Arrow keys, Page Up and Page Down, and swipes follow the same links. Used by
// the replay and the review, whose pages pass what is particular to them to `start`.

import { fillSpots } from "./spots.js";

const SWIPE = 48; // px
const STEPS = {
  ArrowLeft: "card_back",
  ArrowRight: "card_on",
  "Shift+ArrowLeft": "trick_back",
  "Shift+ArrowRight": "trick_on",
  PageUp: "deal_back",
  PageDown: "deal_on",
};

const queue = []; // steps requested during a fetch
let pending = null; // the AbortController of the fetch under way; at most one
let values = JSON.parse(document.getElementById("values").textContent);
// keys: more keys for steps. chosen: before a step somebody asks for. put: after values are shown; `sliding`
// while the slider is dragged. shown: after the last step of the queue. failed: the fetch failed.
let page = { keys: {}, chosen() {}, put() {}, shown() {}, failed() {} };

export const current = () => values;
export const isPending = () => pending !== null;

async function fetchValues(address, signal) {
  const response = await fetch(address, { headers: { Accept: "application/json" }, signal });
  return response.ok ? response.json() : {};
}

export async function show(address, remember, sliding = false) {
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
    if (!pending) page.shown();
  } else {
    page.failed();
    queue.length = 0;
    showTrouble(true);
  }
}

function put(moment, sliding) {
  const before = values;
  values = moment;
  fillSpots(Object.keys(moment), moment, before);
  for (const tab of document.querySelectorAll("a[data-view]")) {
    tab.setAttribute("href", `${tab.pathname}?at=${moment.hand}.${moment.step}`);
  }
  document.getElementById("replay-live").textContent = moment.said;
  page.put(moment, sliding);
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

export function step(name) {
  queue.push(name);
  takeNextStep();
}

export function jump(address, remember, sliding = false) {
  queue.length = 0;
  show(address, remember, sliding);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#replay a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (link.pathname !== location.pathname) return; // a file, not a moment
  event.preventDefault();
  page.chosen();
  if (link.dataset.step) step(link.dataset.step);
  else jump(link.href, true);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const name = { ...STEPS, ...page.keys }[`${event.shiftKey ? "Shift+" : ""}${event.key}`];
  if (!name) return;
  event.preventDefault();
  page.chosen();
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
  page.chosen();
  jump(location.href, false);
});

export function start(particular) {
  page = { ...page, ...particular };
}
