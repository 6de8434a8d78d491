// The door by keyboard: type a name, Enter checks in, Enter again takes the money, arrows move. Without
// this script the same forms and links load the page.

import { refreshOnNews } from "./news.js";
import { ENDED, spreadReconnects } from "./sockets.js";

const field = document.getElementById("door-name");
const verbs = document.getElementById("verbs");
const news = document.getElementById("door-news");
const room = document.getElementById("door-room");
const said = document.getElementById("door-said");

// What Enter does in a row, unless it is done: it never takes anything back.
const ACTS = "button:is([name=in], [name=late], [name=paid], [name=player], [name=listed])";

const LOST = "Not sent: there is no connection. Press it again.";

let byKeys = false; // whether the latest act was chosen by a key
let again = false; // Enter was pressed once more before the answer came
let busy = false; // an act is on its way
let acts = false; // Enter was pressed before those were found who are meant
let chosen = false; // an arrow has chosen a row since the last letter

const rows = () => [...document.querySelectorAll("#door .guest")];
const marked = () => document.querySelector("#door .guest[aria-current]");
const list = () => document.getElementById("door");
const buttons = (row) => [...row.querySelectorAll(".button")];

const isAct = (event) => event.target === verbs || event.target.matches?.(".newone");

function mark(row) {
  for (const one of rows()) one.toggleAttribute("aria-current", false);
  row?.setAttribute("aria-current", "true");
}

// Only for the keyboard: a page that scrolls under a thumb makes it miss.
function show(row) {
  row?.scrollIntoView({ block: "nearest" });
}

function say(words) {
  said.textContent = words;
}

// Does the next thing for whoever is marked; with nobody found the name becomes somebody new.
function act() {
  if (busy) {
    again = true;
    return;
  }
  const row = marked();
  const button = row?.querySelector(ACTS);
  if (button) {
    byKeys = true;
    button.click();
  } else if (row) {
    say("Nothing is left to do here.");
  } else {
    const fresh = document.querySelector(".newone");
    const empty = fresh && [...fresh.querySelectorAll(".field input")].find((one) => !one.value);
    (empty ?? fresh?.querySelector("button"))?.focus();
  }
}

function step(by) {
  const all = rows();
  const at = all.indexOf(marked());
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  chosen = true;
  mark(next);
  show(next);
  if (next && document.activeElement !== field) buttons(next)[0]?.focus();
}

// From the field to the buttons of the marked row, and back.
function sideways(by) {
  const all = marked() ? buttons(marked()) : [];
  const at = all.indexOf(document.activeElement) + by;
  if (at < 0) field.focus();
  else all[Math.min(at, all.length - 1)]?.focus();
}

const DELAY = 150; // ms after the last letter
let timer = 0;
function find(delay = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => htmx.trigger(field, "find"), delay);
}
field.addEventListener("input", () => {
  chosen = false;
  find(DELAY);
});

field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.repeat) return;
    if (field.value.trim() === list().dataset.q) {
      act();
    } else {
      acts = true;
      find();
    }
  } else if (event.key === "Escape" && field.value) {
    event.preventDefault();
    field.value = "";
    find();
  }
});

document.addEventListener("keydown", (event) => {
  const inList = event.target.closest("#door .guest");
  if (event.target !== field && !inList) return;
  const { key } = event;
  if (key === "ArrowDown" || key === "ArrowUp") {
    event.preventDefault();
    step(key === "ArrowDown" ? 1 : -1);
  } else if (key === "ArrowRight" && (inList || field.selectionEnd === field.value.length)) {
    event.preventDefault();
    sideways(1);
  } else if (key === "ArrowLeft" && inList) {
    event.preventDefault();
    sideways(-1);
  }
});

document.addEventListener("focusin", ({ target }) => {
  const row = target.closest("#door .guest");
  if (row && row !== marked()) mark(row);
});

document.addEventListener("submit", (event) => {
  if (!isAct(event)) return;
  mark(event.submitter?.closest(".guest"));
}, true);
document.addEventListener("click", (event) => {
  if (event.target.closest(".guest .button, .newone .button")) byKeys = event.detail === 0;
}, true);

document.addEventListener("htmx:before:request", (event) => {
  if (isAct(event)) {
    busy = true;
    clearTimeout(timer);
  }
  // Nothing moves under a hand: news waits until nobody types and nothing is open.
  const resting = !field.value && !busy && !document.querySelector("#door details[open], #door :focus");
  if (event.target === news && !resting) event.preventDefault();
});

let kept = ""; // the row that stays marked when the list comes again
let pressed = ""; // the button that was pressed last, to be focused again
document.addEventListener("htmx:before:swap", () => {
  kept = marked()?.id ?? "";
  pressed = document.activeElement?.id ?? "";
});
document.addEventListener("htmx:after:swap", (event) => {
  const same = chosen && event.target === field; // the answer to the same letters came once more
  const old = same || event.target === news ? document.getElementById(kept) : null;
  if (old) mark(old);
  if (isAct(event) && !byKeys) document.getElementById(pressed)?.focus({ preventScroll: true });
  if (isAct(event) || event.target !== field || !acts) return;
  acts = false;
  if (rows().length <= 1) act();
});

document.addEventListener("htmx:after:request", (event) => {
  const { response, text } = event.detail.ctx;
  const { status } = response;
  if (isAct(event) && status >= 400) say(status < 500 ? text.slice(0, 300) : LOST);
  if ([403, 404].includes(status) && !isAct(event)) location.reload();
});
document.addEventListener("htmx:error", (event) => {
  if (isAct(event)) say(LOST);
});

function finish() {
  busy = false;
  const { dataset } = list();
  if (byKeys || dataset.q !== field.value.trim()) field.value = dataset.q = "";
  if (byKeys) {
    field.focus();
    show(marked());
  }
  if (again) {
    again = false;
    act();
  }
}

// A form whose part of the page was replaced is out of it by now; htmx then tells the document.
document.addEventListener("htmx:finally:request", (event) => {
  if (busy && (isAct(event) || event.target === document)) finish();
});

room.addEventListener("htmx:ws:close", ({ detail }) => {
  if (ENDED.includes(detail.code)) detail.connection.config.reconnect = false;
});
spreadReconnects(room);
refreshOnNews(room);
