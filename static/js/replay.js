// The replay of a finished game: the slider shows each position it passes, and Play follows the link to the
// next card on a timer. The steps themselves are in moments.js.

import { current, isPending, jump, start, step } from "./moments.js";

const PLAY_EVERY = 1200; // ms

const slider = document.getElementById("replay-slider");
const log = document.getElementById("replay-log");

let playing = false;
let timer = 0; // for the next card

function showPlay() {
  const button = document.getElementById("replay-play");
  button.hidden = false;
  button.querySelector(".on").hidden = playing;
  button.querySelector(".off").hidden = !playing;
  document.querySelector("#replay-slide .by-form").hidden = true;
}

function scheduleNextCard() {
  clearTimeout(timer);
  if (!playing) return;
  if (current()["way.card_on"]) timer = setTimeout(() => step("card_on"), PLAY_EVERY);
  else pause();
}

function pause() {
  playing = false;
  clearTimeout(timer);
  showPlay();
}

function playOrPause() {
  if (playing) {
    pause();
    return;
  }
  playing = true;
  showPlay();
  step("card_on");
  if (!isPending()) scheduleNextCard(); // at the end there is no next card
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#replay-play")) playOrPause();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key !== " " || event.target.closest("a, button")) return;
  event.preventDefault();
  playOrPause();
});

function slideTo(remember, sliding) {
  pause();
  const { hand, seat } = current();
  jump(`?at=${hand}.${slider.value}&seat=${seat}`, remember, sliding);
}

document.addEventListener("input", (event) => {
  if (event.target === slider) slideTo(false, true);
});

document.addEventListener("change", (event) => {
  if (event.target === slider) slideTo(true, false);
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== "replay-slide") return;
  event.preventDefault();
  slideTo(true, false);
});

start({
  chosen: pause,
  failed: pause,
  shown: scheduleNextCard,
  put(moment, sliding) {
    if (!sliding) slider.value = moment.step;
    log.scrollTop = log.scrollHeight;
  },
});
showPlay();
