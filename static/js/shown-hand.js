// The hand on the first page plays itself, over and over, until it is paused. Where less motion is wanted it
// stands still until Play is pressed. All its parts are in the page; a step only shows and hides them.

const EVERY = 1800; // ms
const LAST = 3; // the end stays for as many steps

const hand = document.querySelector(".shown");
const button = hand.querySelector("button");
const parts = [...hand.querySelectorAll("[data-since]")];
const steps = Number(hand.dataset.steps);

let step = Number(hand.dataset.still);
let timer = 0;

function show() {
  for (const part of parts) part.hidden = step < part.dataset.since || step >= part.dataset.until;
}

function next() {
  step = (step + 1) % (steps + LAST);
  if (step < steps) show();
}

function play(playing) {
  clearInterval(timer);
  timer = playing ? setInterval(next, EVERY) : 0;
  button.querySelector(".on").hidden = playing;
  button.querySelector(".off").hidden = !playing;
}

button.addEventListener("click", () => play(!timer));
play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
button.hidden = false;
