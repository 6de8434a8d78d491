// The turn clock: the ring round the avatar of whoever is in turn, the last seconds in figures, and
// one sentence at ten seconds. The page says how much is left when it is drawn; this counts down.

const room = document.getElementById("room");
const TICK = 250;
const WARN_AT = 10;

let shown = ""; // which moment of which turn the count began at
let ends = 0; // when it ends, by this machine's own clock
let warned = false;

const mine = document.getElementById("stage").dataset.seat; // nothing for who only watches

const turn = () => document.getElementById("turn");

function wind() {
  const { turn: at, left, of } = turn().dataset;
  const moment = [document.getElementById("stamp").getAttribute("value"), at, left].join();
  if (moment !== shown) {
    shown = moment;
    ends = Date.now() + Number(left) * 1000;
    warned = Number(left) <= WARN_AT || Number(of) <= WARN_AT;
  }
  tick();
}

function tick() {
  const { turn: at, left, of } = turn().dataset;
  const seconds = Math.max(0, (ends - Date.now()) / 1000);
  for (const seat of document.querySelectorAll(".seat")) {
    const ring = seat.querySelector(".clock");
    if (ring) draw(ring, seat.dataset.seat === at && left !== undefined ? seconds / of : -1, seconds);
  }
  if (at === mine && left !== undefined && !warned && seconds <= WARN_AT) warn();
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
