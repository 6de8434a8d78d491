// Short wooden sounds, made here and off until they are switched on: a card laid, your turn, ten
// seconds left, a trick won.

const button = document.getElementById("sound");
const room = document.getElementById("room");
const STORE = "bower.sound";

let context = null;
let before = look();

function remembered() {
  try {
    return localStorage.getItem(STORE) === "on";
  } catch {
    return false;
  }
}

let on = remembered();

function showState() {
  button.setAttribute("aria-pressed", String(on));
}

button.addEventListener("click", () => {
  on = !on;
  showState();
  if (on) knock(320);
  try {
    localStorage.setItem(STORE, on ? "on" : "off");
  } catch {
    // kept for this page only
  }
});

// One knock on wood: a short tone that falls and dies away.
function knock(pitch, after = 0) {
  context ??= new AudioContext();
  const start = context.currentTime + after;
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const loudness = new GainNode(context, { gain: 0.25 });
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, start + 0.06);
  loudness.gain.setValueAtTime(0.25, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.09);
  tone.connect(loudness).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.1);
}

// What can be heard: the cards in the trick, whose turn it is, whether a trick is won.
function look() {
  return {
    cards: new Set([...document.querySelectorAll(".trick .card")].map((card) => card.id)),
    mine: Boolean(document.getElementById("prompt").dataset.waitsFor),
    won: document.getElementById("turn").dataset.won ?? "",
  };
}

room.addEventListener("htmx:after:swap", () => {
  const now = look();
  if (on) {
    if ([...now.cards].some((card) => !before.cards.has(card))) knock(260);
    if (now.won && !before.won) [170, 150].forEach((pitch, n) => knock(pitch, 0.15 + n * 0.09));
    if (now.mine && !before.mine) [420, 520].forEach((pitch, n) => knock(pitch, 0.3 + n * 0.12));
  }
  before = now;
});

room.addEventListener("ten-seconds", () => {
  if (on) [520, 520].forEach((pitch, n) => knock(pitch, n * 0.25));
});

showState();
