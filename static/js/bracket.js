// The size of a bracket's picture. It fits the width by itself; here it is made larger and smaller, by
// buttons, by the keys + - 0, by the wheel with Ctrl, and by two fingers. What was under the pointer
// stays under it. A picture that is drawn anew keeps its size.

const LEAST = 0.5;
const MOST = 6;
let size = 1; // of the sheet's own size; 0 fits the width

const wraps = () => [...document.querySelectorAll(".bracketwrap")];
const picture = (wrap) => wrap.querySelector(".bracket-picture");

function apply(wrap) {
  const svg = picture(wrap);
  svg.style.width = svg.style.maxWidth = "";
  wrap.classList.toggle("fit", size === 0);
  if (size === 0 || size === 1) return;
  const own = svg.getBoundingClientRect().width;
  svg.style.maxWidth = "none";
  svg.style.width = `${Math.round(own * size)}px`;
}

function zoom(wrap, by, x = wrap.clientWidth / 2, y = wrap.clientHeight / 2) {
  const before = picture(wrap).getBoundingClientRect();
  const box = wrap.getBoundingClientRect();
  const across = (box.left + x - before.left) / before.width;
  const down = (box.top + y - before.top) / before.height;
  if (by && size === 0) {
    wrap.classList.remove("fit");
    size = before.width / picture(wrap).getBoundingClientRect().width;
  }
  size = by ? Math.min(MOST, Math.max(LEAST, size * by)) : 0;
  if (Math.abs(size - 1) < 0.05) size = 1;
  apply(wrap);
  const after = picture(wrap).getBoundingClientRect();
  wrap.scrollLeft += after.left + across * after.width - (box.left + x);
  window.scrollBy({ top: after.top + down * after.height - (box.top + y), behavior: "instant" });
}

function equip() {
  for (const tools of document.querySelectorAll("[data-zoom]")) tools.hidden = false;
  if (size !== 1) wraps().forEach(apply);
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-zoom] button");
  if (button) zoom(button.closest("[data-zoom]").nextElementSibling, Number(button.dataset.by));
});

document.addEventListener("keydown", (event) => {
  const wrap = event.target.closest?.(".bracketwrap");
  if (!wrap || event.ctrlKey || event.metaKey || event.altKey) return;
  const by = { "+": 1.25, "=": 1.25, "-": 0.8, 0: 0 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  zoom(wrap, by);
});

document.addEventListener(
  "wheel",
  (event) => {
    const wrap = event.target.closest?.(".bracketwrap");
    if (!wrap || !event.ctrlKey) return; // a trackpad's pinch comes as such a wheel
    event.preventDefault();
    const box = wrap.getBoundingClientRect();
    zoom(wrap, Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  },
  { passive: false },
);

// Two fingers: the sheet leaves these to us by `touch-action`.
const fingers = new Map();
let apart = 0;

document.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "touch" || !event.target.closest?.(".bracketwrap")) return;
  fingers.set(event.pointerId, event);
  apart = 0;
});
document.addEventListener("pointermove", (event) => {
  if (!fingers.has(event.pointerId)) return;
  fingers.set(event.pointerId, event);
  if (fingers.size !== 2) return;
  const [one, other] = fingers.values();
  const now = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  const wrap = one.target.closest(".bracketwrap");
  if (apart && wrap) {
    const box = wrap.getBoundingClientRect();
    const x = (one.clientX + other.clientX) / 2 - box.left;
    zoom(wrap, now / apart, x, (one.clientY + other.clientY) / 2 - box.top);
  }
  apart = now;
});
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, (event) => {
    fingers.delete(event.pointerId);
    apart = 0;
  });
}

// Beside a large picture that is legible the same in a list is only in the way.
const list = document.querySelector("details[data-long]");
if (list && matchMedia("(min-width: 48rem)").matches && !location.hash) list.open = false;

document.addEventListener("htmx:after:swap", equip);
equip();
