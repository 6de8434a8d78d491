// Everybody is sent the same HTML of an event, so that it is rendered once for all. This script marks
// the viewer's own rows; which entry is theirs comes in a part of its own. When the event starts or ends
// the page's layout changes, so it is reloaded, unless a form is half filled in.

import { refreshOnNews } from "./news.js";

const page = document.getElementById("event");
const phase = () => document.getElementById("event-head").dataset.phase;
const phaseAtLoad = phase();

function markOwnRows() {
  const entry = page.querySelector("[data-entry]")?.dataset.entry;
  if (!entry) return;
  for (const row of page.querySelectorAll("[data-entries]")) {
    row.classList.toggle("mine", row.dataset.entries.trim().split(" ").includes(entry));
  }
}

function halfFilledIn() {
  const fields = page.querySelectorAll("input:not([type=hidden]), textarea");
  return [...fields].some((field) => field.value !== field.defaultValue);
}

function update() {
  if (phase() !== phaseAtLoad && !halfFilledIn()) location.reload();
  else markOwnRows();
}

new MutationObserver(update).observe(document.getElementById("main"), {
  attributeFilter: ["class", "data-entry", "data-entries", "data-phase"],
  childList: true,
  subtree: true,
});
markOwnRows();
refreshOnNews(page);
