// Zooms the bracket: with buttons, the keys + - 0, Ctrl and the wheel, and by pinching. The point under
// the pointer stays there, and the zoom level survives a swap by htmx. CSS fits it to the width.

const MIN_SCALE = 0.5;
const MAX_SCALE = 6;
let scale = 1; // relative to the size set by CSS; 0 fits the width

const wraps = () => [...document.querySelectorAll(".bracketwrap")];
const picture = (wrap) => wrap.querySelector(".bracket-picture");

function apply(wrap) {
  const svg = picture(wrap);
  svg.style.width = svg.style.maxWidth = "";
  wrap.classList.toggle("fit", scale === 0);
  if (scale === 0 || scale === 1) return;
  const natural = svg.getBoundingClientRect().width;
  svg.style.maxWidth = "none";
  svg.style.width = `${Math.round(natural * scale)}px`;
}

function zoom(wrap, by, x = wrap.clientWidth / 2, y = wrap.clientHeight / 2) {
  const before = picture(wrap).getBoundingClientRect();
  const box = wrap.getBoundingClientRect();
  const across = (box.left + x - before.left) / before.width;
  const down = (box.top + y - before.top) / before.height;
  if (by && scale === 0) {
    wrap.classList.remove("fit");
    scale = before.width / picture(wrap).getBoundingClientRect().width;
  }
  scale = by ? Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale * by)) : 0;
  if (Math.abs(scale - 1) < 0.05) scale = 1;
  apply(wrap);
  const after = picture(wrap).getBoundingClientRect();
  wrap.scrollLeft += after.left + across * after.width - (box.left + x);
  window.scrollBy({ top: after.top + down * after.height - (box.top + y), behavior: "instant" });
}

function setUp() {
  for (const tools of document.querySelectorAll("[data-zoom]")) tools.hidden = false;
  if (scale !== 1) wraps().forEach(apply);
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
    if (!wrap || !event.ctrlKey) return; // browsers report a trackpad pinch as Ctrl + wheel
    event.preventDefault();
    const box = wrap.getBoundingClientRect();
    zoom(wrap, Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  },
  { passive: false },
);

// Pinching; `touch-action` in the style sheet keeps the browser from handling it.
const fingers = new Map();
let distance = 0; // between the fingers, in px

document.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "touch" || !event.target.closest?.(".bracketwrap")) return;
  fingers.set(event.pointerId, event);
  distance = 0;
});
document.addEventListener("pointermove", (event) => {
  if (!fingers.has(event.pointerId)) return;
  fingers.set(event.pointerId, event);
  if (fingers.size !== 2) return;
  const [one, other] = fingers.values();
  const now = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  const wrap = one.target.closest(".bracketwrap");
  if (distance && wrap) {
    const box = wrap.getBoundingClientRect();
    const x = (one.clientX + other.clientX) / 2 - box.left;
    zoom(wrap, now / distance, x, (one.clientY + other.clientY) / 2 - box.top);
  }
  distance = now;
});
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, (event) => {
    fingers.delete(event.pointerId);
    distance = 0;
  });
}

// On a wide screen the picture is legible, so the same matches as a list start closed.
const list = document.querySelector("details[data-long]");
if (list && matchMedia("(min-width: 48rem)").matches && !location.hash) list.open = false;

document.addEventListener("htmx:after:swap", setUp);
setUp();
