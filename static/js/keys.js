// Keyboard shortcuts at the table: arrows in the hand always, letters and digits unless switched off.

import { handInWords } from "./hand-words.js";

const cards = () => [...document.querySelectorAll("#hand button")];

function toggle(id) {
  document.getElementById(id).togglePopover();
}

function say(text) {
  document.getElementById("live").textContent = text;
}

function labels(selector) {
  return [...document.querySelectorAll(selector)].map((one) => one.getAttribute("aria-label") ?? one.textContent);
}

const letters = {
  a: () => toggle("all-hands"),
  h: () => say(handInWords()),
  p: () => document.querySelector('#prompt [name="action"]:is([value="pass"], [value="decline"])')?.click(),
  i: () => document.querySelector("#hint-button:not([hidden])")?.click(),
  u: () => document.querySelector("#undo button:not([hidden])")?.click(),
  l: () => toggle("last-trick"),
  g: () => {
    const side = document.getElementById("side");
    if (getComputedStyle(side).position === "fixed") toggle("side");
    side.querySelector('[data-show-part="book"]')?.click();
    document.getElementById("log").focus();
  },
  c: () => {
    const side = document.getElementById("side");
    if (!document.getElementById("talk")) return;
    if (getComputedStyle(side).position === "fixed" && !side.matches(":popover-open")) side.showPopover();
    side.querySelector('[data-show-part="talk"]').click();
    (side.querySelector("#words:not([hidden] *)") ?? side.querySelector(".say-chip"))?.focus();
  },
  s: () => say(labels("#plaque :is(.markers, .side-score .unseen):not([hidden])").join(". ")),
  t: () => say(labels('.trick .spot:not([hidden]) [role="img"]').join(". ") || "No cards on the table."),
  "?": () => toggle("keys"),
};

function moveInHand(event) {
  const all = cards();
  const here = all.indexOf(document.activeElement);
  if (here < 0) return;
  const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  all[(to + all.length) % all.length].focus();
}

function isWriting(element) {
  return element.matches('input:not([type="checkbox"]), textarea, select');
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
  moveInHand(event);
  // Enter on the checkbox "Alone" would submit the form; tick it instead.
  if (event.key === "Enter" && event.target.matches('input[type="checkbox"]')) {
    event.preventDefault();
    event.target.click();
  }
  if (document.documentElement.dataset.letters === "off") return;
  if (/^[1-6]$/.test(event.key)) cards()[Number(event.key) - 1]?.focus();
  else letters[event.key.toLowerCase()]?.();
});
