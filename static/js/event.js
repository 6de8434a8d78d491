// The live page of an event. Its parts come over a socket and are swapped in by htmx; this script runs
// the clocks in between, by the server's time, and shows whether the page is connected.

import { beat, showLink } from "./link.js";
import { CROWDED, LOGGED_OUT, NOT_HERE, spreadReconnects, TOO_MANY } from "./sockets.js";
import { timeText } from "./time-text.js";

const room = document.getElementById("event");

const TICK = 500; // ms
// Shown when the page does not reconnect, by close code.
const ENDED = {
  [LOGGED_OUT]: "You have logged out: reload the page",
  [NOT_HERE]: "You no longer have access to this event",
  [TOO_MANY]: "Too many tabs: close some and reload the page",
};
const CROWD = "Too many pages are open on your network: trying again soon";

let ahead = Number(room.dataset.now) - Date.now(); // ms by which the server's clock is ahead
let version = ""; // of the parts shown
let wasLive = false;

// The clocks -----------------------------------------------------------------------------------

const secondsUntil = (moment) => Math.max(0, (Date.parse(moment) - Date.now() - ahead) / 1000);

function tick() {
  for (const one of document.querySelectorAll("[data-ends]")) {
    const left = secondsUntil(one.dataset.ends);
    if (one.dataset.since) {
      const length = (Date.parse(one.dataset.ends) - Date.parse(one.dataset.since)) / 1000;
      one.setAttribute("stroke-dasharray", `${Math.min(100, (100 * left) / length).toFixed(1)} 100`);
    } else {
      one.textContent = timeText(left);
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
spreadReconnects(room);

// When a part is swapped, open <details> stay open and the focus stays in its part.
let openDetails = [];
let focused = ""; // the id of the part with the focus
room.addEventListener("htmx:before:swap", () => {
  openDetails = [...document.querySelectorAll("details[open]")].map(keyOf);
  if (document.activeElement !== document.body) {
    focused = document.activeElement?.closest("[id^='event-']")?.id ?? "";
  }
});
room.addEventListener("htmx:after:swap", () => {
  for (const one of document.querySelectorAll("details")) {
    if (openDetails.includes(keyOf(one))) one.open = true;
  }
  keepFocus();
  tick();
});

// If the focused element is gone, focus the first control of its part, or else of the page.
function keepFocus() {
  if (!focused || document.activeElement !== document.body) return;
  const controls = ":is(a[href], button, summary)";
  const inPart = [...document.querySelectorAll(`#${focused} ${controls}`)];
  const first = [...inPart, ...room.querySelectorAll(controls)].find((one) => one.checkVisibility());
  first?.focus({ preventScroll: true });
}

function keyOf(details) {
  return `${details.closest("[id]")?.id} ${details.querySelector("summary")?.textContent}`;
}

setInterval(tick, TICK);
tick();
