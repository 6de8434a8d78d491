// Talk at the table: its forms without loading the page, what is new, and the two parts of the sheet.
// The lines are values of the table like all others, which values.js updates.

const REST = 4000; // ms for which the phrases rest after one
const KIND_STAYS = 6000; // ms for which a thank-you is shown

const room = document.getElementById("room");
const side = document.getElementById("side");
const talk = document.getElementById("talk");
const status = document.getElementById("not-said");
const waits = document.getElementById("new-lines");
const chips = [...side.querySelectorAll(".say-chip")];

let atEnd = true; // the reader has not scrolled up
let known = new Set(); // the lines that the reader has been shown
let statusTimer = 0;

const linesOfOthers = () => [...talk.children].filter((one) => !one.matches(".mine, .muted-line"));
const isSheet = () => getComputedStyle(side).position === "fixed";
const seen = () => !isSheet() || (side.matches(":popover-open") && side.dataset.part === "talk");

// Saying something ----------------------------------------------------------------------------

function report(words, kind = "") {
  status.className = `not-said ${kind}`;
  status.textContent = words;
  clearTimeout(statusTimer);
  if (kind) statusTimer = setTimeout(() => report(""), KIND_STAYS);
}

// Post a form; return the answer, or nothing if there was none.
async function post(form, button, address = form.action) {
  try {
    return await fetch(address, {
      method: "POST",
      body: new FormData(form, button ?? undefined),
      headers: { "HX-Request": "true" },
    });
  } catch {
    return null;
  }
}

function rest() {
  for (const one of chips) one.setAttribute("aria-disabled", "true");
  setTimeout(() => { for (const one of chips) one.removeAttribute("aria-disabled"); }, REST);
}

document.getElementById("phrase").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter;
  if (button.getAttribute("aria-disabled")) return;
  rest();
  atEnd = true;
  const answer = await post(event.target, button);
  if (answer?.ok) report("");
  else report(answer ? await answer.text() : "Not sent. Try again.");
});

document.getElementById("say").addEventListener("submit", async (event) => {
  event.preventDefault();
  const words = document.getElementById("words");
  const said = words.value;
  if (words.readOnly || !said.trim()) return;
  words.readOnly = true; // until it is known whether it was sent
  atEnd = true;
  const answer = await post(event.target);
  words.readOnly = false;
  if (answer?.ok) {
    words.value = "";
    report("");
  } else {
    report(answer ? await answer.text() : "Not sent. Try again.");
  }
  words.focus();
});

// Muting, keeping apart and reporting.
document.getElementById("line-act").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter;
  const answer = await post(event.target, button, button.formAction);
  button.closest(".line-acts")?.removeAttribute("open");
  report(answer ? await answer.text() : "That did not work. Try again.", answer?.ok ? "kind" : "");
});

talk.addEventListener("keydown", (event) => {
  const open = event.target.closest("details[open]");
  if (event.key !== "Escape" || !open) return;
  event.preventDefault(); // the sheet stays open
  open.removeAttribute("open");
  open.querySelector("summary").focus();
});

// What opens is shown whole, however low the line is.
talk.addEventListener("toggle", ({ target }) => {
  if (target.open) (target.querySelector(":scope > .acts-menu") ?? target).scrollIntoView({ block: "nearest" });
}, true);

document.addEventListener("click", ({ target }) => {
  for (const one of talk.querySelectorAll(".line-acts[open]")) if (!one.contains(target)) one.removeAttribute("open");
  // The menu of a person's plate is loaded when the first is asked for.
  if (target.matches(".plate button")) import(room.dataset.plate).then((menu) => menu.open(target));
});

// What is new ---------------------------------------------------------------------------------

const below = document.createElement("button");
below.type = "button";
below.className = "new-below";
below.hidden = true;
talk.after(below);
below.addEventListener("click", () => {
  atEnd = true;
  update();
});

talk.addEventListener("scroll", () => {
  atEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 24;
  if (atEnd) update();
});

// The reader's own time of day, which the server does not know.
function tellTimes() {
  for (const one of talk.querySelectorAll("time[datetime]")) {
    const text = new Date(one.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    if (one.textContent !== text) one.textContent = text;
  }
}

const inWords = (count) => `${count} new ${count === 1 ? "line" : "lines"}`;

function update() {
  tellTimes();
  if (talk.scrollHeight <= talk.clientHeight) atEnd = true;
  const lines = linesOfOthers();
  const fresh = lines.filter((one) => !known.has(one)).length;
  if (atEnd) talk.scrollTop = talk.scrollHeight;
  if (atEnd && seen()) known = new Set(lines);
  below.hidden = atEnd || !fresh || !seen();
  below.textContent = `${inWords(fresh)} ↓`;
  waits.hidden = seen() || !fresh;
  waits.textContent = fresh;
  const unseen = document.createElement("span");
  unseen.className = "unseen";
  unseen.textContent = ` ${inWords(fresh).replace(/^\d+ /, "")}`;
  if (!waits.hidden) waits.append(unseen);
}

room.addEventListener("shown", update);
side.addEventListener("toggle", update);

// The two parts of the sheet --------------------------------------------------------------------

function showPart(part) {
  side.dataset.part = part;
  for (const one of side.querySelectorAll("[data-show-part]")) one.setAttribute("aria-pressed", one.dataset.showPart === part);
  update();
}

for (const one of side.querySelectorAll("[data-show-part]")) one.addEventListener("click", () => showPart(one.dataset.showPart));

known = new Set(linesOfOthers()); // those that came with the page
showPart("talk");
