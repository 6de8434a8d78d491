// The turn clock: a ring round the avatar of the player to act, the last seconds in figures, and a
// spoken warning at ten seconds. The end of the turn is given by the server's clock.

import { serverNow } from "./clock.js";

const room = document.getElementById("room");
const TICK = 250; // ms
const WARN_AT = 10; // seconds

let current = ""; // identifies the turn that is timed
let warned = false;

const mine = document.getElementById("stage").dataset.seat; // undefined for a spectator

const turn = () => document.getElementById("turn").dataset;
const secondsLeft = () => Math.max(0, Number(turn().ends) - serverNow());

function startTurn() {
  const { turn: at, ends, of } = turn();
  const moment = [document.getElementById("stamp").getAttribute("value"), at, ends].join();
  if (moment !== current) {
    current = moment;
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

// share: the part of the turn that is left, from 0 to 1; negative if no clock runs.
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

room.addEventListener("shown", startTurn);
setInterval(tick, TICK);
startTurn();
