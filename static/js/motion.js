// Cards that travel. Each card is known by its name: where it was is measured before the picture
// changes, the picture changes at once, and then each card is played from where it was to where it
// is. The newest state wins: nothing queues, nothing waits, and a card can be pressed in its flight.

import { choice } from "./my-table.js";

const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";
const PACE = { slow: 1.6, normal: 1, fast: 0.5, off: 0 };
// Milliseconds of a card's way, of the trick's to its winner, and from one card dealt to the next;
// how long the last trick of a hand rests, how long its points do, and their way to the score.
const FLIGHT = 240;
const GATHER = 420;
const DEAL_GAP = 70;
const TRICK_RESTS = 900;
const POINTS_REST = 700;
const POINTS = 380;

const stage = document.getElementById("stage");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// 0: cards are where they belong at once.
export const pace = () => (calm.matches || document.hidden ? 0 : PACE[choice("speed")]);

const cards = () => [...stage.querySelectorAll(":is(.hand, .kitty, .trick) [data-card]")];
// A trick that has been swept away at the end of its hand is there no more for the eye.
const isSeen = (card) => card.checkVisibility({ visibilityProperty: true });
const boxOf = (selector) => stage.querySelector(selector)?.getBoundingClientRect();
const plate = (seat) => boxOf(`.seat[data-seat="${seat}"] .plate`);
const packCards = () => [...stage.querySelectorAll("#kitty:not([hidden]) .pack")];
const pack = () => boxOf("#kitty .pack") ?? boxOf("#trick");

// Where everything is before the picture changes, in the middle of a flight too.
export function measure() {
  if (!pace()) return null;
  const before = { cards: new Map(), backs: stage.querySelectorAll(".backs > i").length };
  for (const card of cards().filter(isSeen)) {
    before.cards.set(card.dataset.card, { box: card.getBoundingClientRect(), card });
  }
  before.won = document.getElementById("turn").dataset.won;
  before.trick = [...stage.querySelectorAll(".trick [data-card]")].filter(isSeen).map((card) => card.dataset.card);
  before.pack = pack();
  before.packs = packCards().map((card) => ({ card, box: card.getBoundingClientRect() }));
  before.turned = stage.querySelector("#kitty [data-card]") !== null;
  before.turn = document.getElementById("turn").dataset.turn;
  before.over = handIsOver();
  before.scores = new Map([...stage.querySelectorAll(".tally-of")].map((one) => [one.id, look(one)]));
  return before;
}

const handIsOver = () => stage.querySelector("#tally:not([hidden]), #story:not([hidden])") !== null;

// What stands in a score's cell: its number, and which of the markers' drawings.
function look(score) {
  return { points: score.querySelector(".points").textContent, uses: [...score.querySelectorAll("use")].map((one) => one.getAttribute("href")) };
}

const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];

function way(from, to) {
  const [[x, y], [toX, toY]] = [middle(from), middle(to)];
  return `translate(${x - toX}px, ${y - toY}px) scale(${from.width / to.width})`;
}

function fly(card, from, { ms = FLIGHT, delay = 0, turned = false } = {}) {
  const to = card.getBoundingClientRect();
  if (!to.width || !from.width) return; // one of them is not shown
  const start = way(from, to);
  if (start === "translate(0px, 0px) scale(1)") return;
  const k = pace();
  const transform = turned ? `${start} rotateY(90deg)` : start;
  card.animate([{ transform }, { transform: "none" }], { duration: ms * k, delay: delay * k, easing: EASE, fill: "backwards" });
}

// A copy of a card that has left the picture; nothing can press or read it.
function copyOf(card, kind) {
  const copy = card.cloneNode(true);
  for (const name of ["data-card", "id", "name", "value", "form"]) copy.removeAttribute(name);
  copy.className = kind;
  copy.setAttribute("aria-hidden", "true");
  copy.inert = true;
  stage.append(copy);
  return copy;
}

// The dealer's discard goes under the pack, face down. The pack, which has left the picture, stays
// until the card lies there. from: the box of the card, or of the plate of a dealer whose it was.
function tuck(from, packs) {
  if (!from?.width || !packs[0]?.box.width) return;
  const k = pace();
  const [{ card, box }] = packs;
  const discard = copyOf(card, "card back flying discarding");
  const here = discard.getBoundingClientRect();
  const there = way(box, here);
  const flights = [discard.animate([{ transform: way(from, here) }, { transform: there }], { duration: FLIGHT * k, easing: EASE, fill: "both" })];
  for (const { card: one, box: its } of packs) {
    const copy = copyOf(one, "card back flying");
    const transform = way(its, copy.getBoundingClientRect());
    flights.push(copy.animate([{ transform }, { transform, offset: 0.7 }, { transform, opacity: 0 }], { duration: 2 * FLIGHT * k, fill: "both" }));
  }
  for (const flight of flights) flight.finished.finally(() => flight.effect.target.remove()).catch(() => {});
}

// A card that leaves the picture goes as a copy, gone when it lands.
function leave(card, from, to, ms) {
  if (!to?.width || !from.width) return;
  const copy = copyOf(card, "card flying");
  const now = copy.getBoundingClientRect();
  const end = `${way(to, now)} scale(0.8)`;
  const flight = copy.animate(
    [{ transform: way(from, now) }, { transform: end, opacity: 0.2 }],
    { duration: ms * pace(), easing: EASE, fill: "both" },
  );
  flight.finished.finally(() => copy.remove()).catch(() => {});
}

// A hand that has ended: its last trick rests and goes to whoever won it; then what it was worth
// stands in the middle and goes to the score, which changes as it lands.
const ENDING = ".trick, .tally, .tally .token b, .recap, .prompt, .gained";

function end(before) {
  const k = pace();
  const rest = TRICK_RESTS * k;
  const swept = rest + GATHER * k;
  const trick = stage.querySelector("#trick");
  const to = plate(document.getElementById("turn").dataset.won);
  trick.animate([{ visibility: "visible" }, { visibility: "visible" }], { duration: swept });
  for (const card of trick.querySelectorAll("[data-card]")) {
    const here = card.getBoundingClientRect();
    if (!to?.width || !here.width) continue;
    const there = `${way(to, here)} scale(0.3)`;
    card.animate([{ transform: "none", opacity: 1 }, { transform: there, opacity: 0.2 }], { duration: GATHER * k, delay: rest, easing: EASE, fill: "forwards" });
  }
  for (const one of stage.querySelectorAll(".tally:not([hidden]), .recap:not([hidden]), .prompt")) {
    one.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FLIGHT * k, delay: swept, fill: "backwards" });
  }
  score(before, swept + POINTS_REST * k);
}

function score(before, after) {
  const token = stage.querySelector(".tally:not([hidden]) .token b");
  const gained = stage.querySelector(".side-score .gained:not([hidden])");
  if (!token || !gained) return;
  const cell = gained.closest(".tally-of");
  const old = before.scores.get(cell.id);
  const fresh = look(cell);
  const [from, to] = [token.getBoundingClientRect(), gained.getBoundingClientRect()];
  if (!from.width || !to.width) return;
  gained.animate([{ opacity: 0 }, { opacity: 0 }], { duration: after });
  const flight = gained.animate(
    [{ transform: way(from, to), opacity: 1 }, { transform: "none", opacity: 1 }],
    { duration: POINTS * pace(), delay: after, easing: EASE },
  );
  write(cell, old);
  flight.finished.catch(() => {}).finally(() => write(cell, fresh));
}

function write(cell, { points, uses }) {
  const number = cell.querySelector(".points");
  if (number.textContent !== points) number.textContent = points;
  cell.querySelectorAll("use").forEach((one, at) => { if (uses[at]) one.setAttribute("href", uses[at]); });
}

// Play every card from where it was. before: what `measure` gave, or nothing for no motion.
export function play(before) {
  if (!before) return;
  const now = cards();
  for (const one of [...now, ...stage.querySelectorAll(ENDING)]) one.getAnimations().forEach((flight) => flight.cancel());
  const shown = new Set(now.map((card) => card.dataset.card));
  let dealt = 0;
  for (const card of now) {
    const known = before.cards.get(card.dataset.card);
    const spot = card.closest(".place");
    if (known) {
      fly(card, known.box);
    } else if (spot) {
      const from = plate(spot.dataset.seat);
      if (from) fly(card, from, { turned: true });
    } else if (before.pack) {
      fly(card, before.pack, { ms: 260, delay: DEAL_GAP * dealt, turned: true });
      dealt += 1;
    }
  }
  if (dealt > 1 && before.pack) {
    stage.querySelectorAll(".backs > i").forEach((card, at) => fly(card, before.pack, { ms: 260, delay: 25 * at }));
  }
  // The pack without a turn-up goes when the dealer, who has taken that up, has discarded.
  const discarded = before.packs.length && !before.turned && !packCards().length && !handIsOver() && !before.trick.length;
  if (discarded) {
    const own = [...before.cards].find(([name]) => !shown.has(name));
    tuck(own ? own[1].box : plate(before.turn), before.packs);
  }
  for (const [name, { box, card }] of before.cards) {
    if (shown.has(name) || discarded) continue;
    if (before.trick.includes(name)) leave(card, box, plate(before.won), GATHER);
    else leave(card, box, pack(), FLIGHT);
  }
  if (!before.over && handIsOver() && before.trick.length) end(before);
}

// The viewer's own card goes to its place at the press, before the answer, and lies there as long as
// it takes; returns what takes it back, or away where the picture has its own by then.
export function lay(card) {
  const place = stage.querySelector('.trick .place[data-at="south"]');
  const boxes = [...card.parentElement.children].map((one) => [one, one.getBoundingClientRect()]);
  const laid = document.createElement("div");
  laid.className = "card laid";
  for (const name of ["data-card", "data-suit", "aria-label"]) laid.setAttribute(name, card.getAttribute(name));
  laid.setAttribute("role", "img");
  laid.append(...card.cloneNode(true).childNodes);
  place.append(laid);
  card.dataset.laid = "";
  if (pace()) for (const [one, box] of boxes) fly(one === card ? laid : one, box);
  return () => {
    const from = laid.getBoundingClientRect();
    laid.remove();
    delete card.dataset.laid;
    if (pace() && from.width) fly(card, from, { ms: 180 });
  };
}
