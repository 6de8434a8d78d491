// What everybody is sent of an event is the same, so that it is drawn once for all. Here the rows of
// the player who looks are marked: that entry stands in a part of its own. When the event begins or ends
// its page is another one and is loaded again, unless something is half typed.

import { askAtNews } from "./news.js";

const page = document.getElementById("event");
const phase = () => document.getElementById("event-head").dataset.phase;
const shown = phase();

function mark() {
  const entry = page.querySelector("[data-entry]")?.dataset.entry;
  if (!entry) return;
  for (const row of page.querySelectorAll("[data-entries]")) {
    row.classList.toggle("mine", row.dataset.entries.trim().split(" ").includes(entry));
  }
}

function halfTyped() {
  const fields = page.querySelectorAll("input:not([type=hidden]), textarea");
  return [...fields].some((field) => field.value !== field.defaultValue);
}

function look() {
  if (phase() !== shown && !halfTyped()) location.reload();
  else mark();
}

new MutationObserver(look).observe(document.getElementById("main"), {
  attributeFilter: ["class", "data-entry", "data-entries", "data-phase"],
  childList: true,
  subtree: true,
});
mark();
askAtNews(page);
