// The turn clock: the ring round the avatar of whoever is in turn, the last seconds in figures, and
// one sentence at ten seconds. The page says when the turn ends by the server's clock.

import { serverNow } from "./clock.js";

const room = document.getElementById("room");
const TICK = 250;
const WARN_AT = 10;

let shown = ""; // which turn is counted
let warned = false;

const mine = document.getElementById("stage").dataset.seat; // nothing for who only watches

const turn = () => document.getElementById("turn").dataset;
const secondsLeft = () => Math.max(0, Number(turn().ends) - serverNow());

function wind() {
  const { turn: at, ends, of } = turn();
  const moment = [document.getElementById("stamp").getAttribute("value"), at, ends].join();
  if (moment !== shown) {
    shown = moment;
    warned = secondsLeft() <= WARN_AT || Number(of) <= WARN_AT;
  }
  tick();
}

function tick() {
  const { turn: at, ends, of } = turn();
  const seconds = ends === undefined ? 0 : secondsLeft();
  for (const seat of document.querySelectorAll(".seat")) {
    const ring = seat.querySelector(".clock");
    if (ring) draw(ring, seat.dataset.seat === at && ends !== undefined ? seconds / of : -1, seconds);
  }
  if (at === mine && ends !== undefined && !warned && seconds <= WARN_AT) warn();
}

// share: what is left of the whole time, or less than nothing where no clock runs.
function draw(ring, share, seconds) {
  const low = share >= 0 && share <= 0.25;
  ring.toggleAttribute("data-running", share >= 0);
  ring.classList.toggle("low", low);
  ring.parentElement.querySelector(".seconds").textContent = low ? Math.ceil(seconds) : "";
  const offset = share < 0 ? 0 : 100 - Math.min(share, 1) * 100;
  ring.querySelector(".left").setAttribute("stroke-dashoffset", offset.toFixed(1));
}

function warn() {
  warned = true;
  document.getElementById("live").textContent = "Ten seconds left.";
  room.dispatchEvent(new Event("ten-seconds"));
}

room.addEventListener("shown", wind);
setInterval(tick, TICK);
wind();
