// Seeds by hand: rows are dragged by their dots, or moved with Space and the arrows. Escape leaves it.

const form = document.querySelector("form[data-order]"), HELD = "order held";
const leave = document.querySelector("[data-leave]");
let held = null, before = [];

const rows = () => [...form.querySelectorAll(".seedrow")];
const name = (row) => row.querySelector(".grow").firstChild.textContent;

function say(words) {
  form.querySelector("[data-said]").textContent = words;
}

function place() {
  rows().forEach((row, at) => { row.querySelector(".no").textContent = at + 1; });
}

function take(row) {
  held = row;
  before = rows();
  row.dataset.held = "";
  row.querySelector(".grip").setAttribute("aria-pressed", "true");
  say(`${name(row)} taken up: ${before.indexOf(row) + 1} of ${before.length}.`);
}

function move(step) {
  const all = rows(), to = all[all.indexOf(held) + step];
  if (!to) return;
  if (step < 0) held.after(to); else held.before(to); // moving the row itself would end a drag
  place();
  say(`${name(held)}: ${rows().indexOf(held) + 1} of ${all.length}.`);
}

function release() {
  delete held.dataset.held;
  held.querySelector(".grip").setAttribute("aria-pressed", "false");
  held = null;
}

function putDown() {
  const entry = held.dataset.entry, changed = rows().some((row, at) => row !== before[at]);
  say(`${name(held)} put down: ${rows().indexOf(held) + 1} of ${before.length}.`);
  release();
  if (!changed) return;
  form.elements.order.value = rows().map((row) => row.dataset.entry).join(",");
  sessionStorage.setItem(HELD, entry);
  form.requestSubmit();
}

function putBack() {
  const row = held;
  before.forEach((one) => one.parentElement.append(one));
  place();
  release();
  row.querySelector(".grip").focus();
  say(`${name(row)} is back where it was.`);
}

form?.addEventListener("keydown", (event) => {
  if (!event.target.matches(".grip")) return;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (held && step) move(step);
  else if (held && event.key === "Escape") putBack();
  else if (event.key !== " " && event.key !== "Enter") return;
  else if (held) putDown();
  else take(event.target.closest(".seedrow"));
  event.preventDefault();
  event.stopPropagation();
});

form?.addEventListener("pointerdown", (event) => {
  const grip = event.target.closest(".grip");
  if (!grip || held) return;
  take(grip.closest(".seedrow"));
  grip.setPointerCapture(event.pointerId);
});

form?.addEventListener("pointermove", (event) => {
  if (!held || !event.target.hasPointerCapture?.(event.pointerId)) return;
  const all = rows(), at = all.indexOf(held), middle = (row) => {
    const { top, height } = row.getBoundingClientRect();
    return top + height / 2;
  };
  if (all[at - 1] && event.clientY < middle(all[at - 1])) move(-1);
  else if (all[at + 1] && event.clientY > middle(all[at + 1])) move(1);
});

for (const end of ["pointerup", "pointercancel"]) {
  form?.addEventListener(end, (event) => {
    if (held && event.target.hasPointerCapture?.(event.pointerId)) putDown();
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && leave) location.assign(leave.href);
});

const entry = form && sessionStorage.getItem(HELD);
if (entry) {
  sessionStorage.removeItem(HELD);
  form.querySelector(`[data-entry="${CSS.escape(entry)}"] .grip`)?.focus();
}
