// The live page of an event. Its pictures come over a socket and are swapped in by htmx; here the
// clocks go on between them, by the server's time, and a lost connection is told.

import { beat, showLink } from "./link.js";
import { CROWDED, LOGGED_OUT, NOT_HERE, spreadReturn, TOO_MANY } from "./sockets.js";

const room = document.getElementById("event");

const TICK = 500;
// What is told where the same socket is not asked for again, by close codes.
const ENDED = {
  [LOGGED_OUT]: "You have logged out: load the page again",
  [NOT_HERE]: "This event is not open to you any more",
  [TOO_MANY]: "Too many tabs: close some and load the page again",
};
const CROWD = "Very many pages are open from your network: tried again by itself";

let ahead = Number(room.dataset.now) - Date.now(); // by how much the server's clock is ahead
let version = ""; // what is shown
let wasLive = false;

// The clocks -----------------------------------------------------------------------------------

const secondsUntil = (moment) => Math.max(0, (Date.parse(moment) - Date.now() - ahead) / 1000);

function words(seconds) {
  const whole = Math.ceil(seconds);
  if (whole >= 2 * 86400) return `${Math.floor(whole / 86400)} days`;
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

function tick() {
  for (const one of document.querySelectorAll("[data-ends]")) {
    const left = secondsUntil(one.dataset.ends);
    if (one.dataset.since) {
      const length = (Date.parse(one.dataset.ends) - Date.parse(one.dataset.since)) / 1000;
      one.setAttribute("stroke-dasharray", `${Math.min(100, (100 * left) / length).toFixed(1)} 100`);
    } else {
      one.textContent = words(left);
    }
  }
}

// The socket -----------------------------------------------------------------------------------

room.addEventListener("htmx:after:ws:connection", () => {
  wasLive = true;
  showLink("Live", false);
});

room.addEventListener("htmx:ws:close", (event) => {
  const ended = ENDED[event.detail.code];
  if (ended) event.detail.connection.config.reconnect = false;
  const crowd = event.detail.code === CROWDED && CROWD;
  if (ended || crowd || wasLive) showLink(ended || crowd || "Reconnecting", true);
});

room.addEventListener("htmx:before:ws:message", (event) => {
  const message = event.detail.message.json;
  if (message?.now) ahead = message.now - Date.now();
  version = message?.version ?? version;
});

beat(room, () => version && { beat: version });
spreadReturn(room);

// What was unfolded stays so when its part is swapped, and the focus stays in its part.
let unfolded = [];
let focused = "";
room.addEventListener("htmx:before:swap", () => {
  unfolded = [...document.querySelectorAll("details[open]")].map(place);
  if (document.activeElement !== document.body) {
    focused = document.activeElement?.closest("[id^='event-']")?.id ?? "";
  }
});
room.addEventListener("htmx:after:swap", () => {
  for (const one of document.querySelectorAll("details")) {
    if (unfolded.includes(place(one))) one.open = true;
  }
  keepFocus();
  tick();
});

// What was focused may be gone: then it is the first thing to do in the same part, or the page.
function keepFocus() {
  if (!focused || document.activeElement !== document.body) return;
  const controls = ":is(a[href], button, summary)";
  const inPart = [...document.querySelectorAll(`#${focused} ${controls}`)];
  const first = [...inPart, ...room.querySelectorAll(controls)].find((one) => one.checkVisibility());
  first?.focus({ preventScroll: true });
}

function place(details) {
  return `${details.closest("[id]")?.id} ${details.querySelector("summary")?.textContent}`;
}

setInterval(tick, TICK);
tick();
