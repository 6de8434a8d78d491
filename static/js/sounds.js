// The sounds of a table: a card played, your turn, ten seconds left, a trick won.

import { knock, setVolume, soundsAreOn, switchSounds, volumeNow } from "./knock.js";

const button = document.getElementById("sound");
const room = document.getElementById("room");

let before = audibleState();

function showState() {
  button.setAttribute("aria-pressed", String(soundsAreOn()));
}

button.addEventListener("click", () => {
  switchSounds();
  showState();
  knock(320);
});

// What makes a sound when it changes: the cards in the trick, whose turn it is, a trick won.
function audibleState() {
  return {
    cards: new Set([...document.querySelectorAll(".trick .card")].map((card) => card.dataset.card)),
    mine: Boolean(document.getElementById("question").dataset.waitsFor),
    won: document.getElementById("turn").dataset.won ?? "",
  };
}

room.addEventListener("shown", () => {
  const now = audibleState();
  if ([...now.cards].some((card) => !before.cards.has(card))) knock(260);
  if (now.won && !before.won) [170, 150].forEach((pitch, n) => knock(pitch, 0.15 + n * 0.09));
  if (now.mine && !before.mine) [420, 520].forEach((pitch, n) => knock(pitch, 0.3 + n * 0.12));
  before = now;
});

room.addEventListener("ten-seconds", () => {
  [520, 520].forEach((pitch, n) => knock(pitch, n * 0.25));
});

const slider = document.getElementById("volume");
slider.value = volumeNow();
slider.addEventListener("change", () => {
  setVolume(Number(slider.value));
  knock(320);
});

showState();
