// The review of a finished game: its steps are those of moments.js, with a key for the next doubt, and each
// step of the curve can be pressed.

import { current, jump, start } from "./moments.js";

document.addEventListener("click", (event) => {
  const curve = event.target.closest(".expect");
  if (!curve) return;
  const box = curve.getBoundingClientRect();
  const at = ((event.clientX - box.left) / box.width) * curve.viewBox.baseVal.width;
  const places = curve.dataset.steps.split(" ").map((place) => Math.abs(Number(place) - at));
  const { hand, seat } = current();
  jump(`?at=${hand}.${places.indexOf(Math.min(...places))}&seat=${seat}`, true);
});

start({ keys: { n: "doubt" } });
