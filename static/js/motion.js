// Animates cards by the FLIP method: measure where each card is, update the table at once, then play
// each card from its old place to its new one. The newest state wins: nothing queues, and a card can
// be pressed while it flies.

import { choice } from "./my-table.js";

const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";
const PACE = { slow: 1.6, normal: 1, fast: 0.5, off: 0 };
// Durations in ms, at normal speed.
const FLIGHT = 240; // of a card
const GATHER = 420; // of a trick to its winner
const DEAL_GAP = 70; // between cards that are dealt
const TRICK_RESTS = 900; // the last trick of a hand, before it is gathered
const POINTS_REST = 700; // the points of a hand, before they move to the score
const POINTS = 380; // of the points to the score

const stage = document.getElementById("stage");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

// The factor for all durations; 0 for no animation.
export const pace = () => (reducedMotion.matches || document.hidden ? 0 : PACE[choice("speed")]);

const cards = () => [...stage.querySelectorAll(":is(.hand, .kitty, .trick) [data-card]")];
// The last trick of a hand stays in the page but is hidden once it has been gathered.
const isVisible = (card) => card.checkVisibility({ visibilityProperty: true });
const boxOf = (selector) => stage.querySelector(selector)?.getBoundingClientRect();
const plate = (seat) => boxOf(`.seat[data-seat="${seat}"] .plate`);
const packCards = () => [...stage.querySelectorAll("#kitty:not([hidden]) .pack")];
const pack = () => boxOf("#kitty:not([hidden]) .pack") ?? boxOf("#trick");

// The positions before an update, also of cards in flight; null without animation.
export function measure() {
  if (!pace()) return null;
  const before = { cards: new Map() };
  for (const card of cards().filter(isVisible)) {
    before.cards.set(card.dataset.card, { box: card.getBoundingClientRect(), card });
  }
  before.won = document.getElementById("turn").dataset.won;
  before.trick = [...stage.querySelectorAll(".trick [data-card]")].filter(isVisible).map((card) => card.dataset.card);
  before.packs = packCards().map((card) => ({ card, box: card.getBoundingClientRect() }));
  before.held = held();
  before.turned = stage.querySelector("#kitty [data-card]") !== null;
  before.turn = document.getElementById("turn").dataset.turn;
  before.over = handIsOver();
  before.scores = new Map([...stage.querySelectorAll(".tally-of")].map((one) => [one.id, scoreOf(one)]));
  return before;
}

// How many cards each seat holds, as everybody sees.
const held = () => new Map([...stage.querySelectorAll(".backs")].map((one) => [one.closest(".seat").dataset.seat, one.childElementCount]));

// The seats that have given and got one card, face down, since `before`; got is undefined if it left the game.
function passedSince(before) {
  if (!packCards().length || !before.packs.length) return {};
  const changed = [...held()].map(([seat, count]) => [seat, count - before.held.get(seat)]);
  return { from: changed.find(([, more]) => more === -1)?.[0], to: changed.find(([, more]) => more === 1)?.[0] };
}

const handIsOver = () => stage.querySelector("#tally:not([hidden]), #story:not([hidden])") !== null;

// What a score's cell shows: its number, and the drawings of its markers.
function scoreOf(cell) {
  return { points: cell.querySelector(".points").textContent, uses: [...cell.querySelectorAll("use")].map((one) => one.getAttribute("href")) };
}

const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];

// From the middle of one box to that of another. Plates and the pack are only places: a card that comes
// from there or goes there keeps its own size.
function shiftFrom(from, to) {
  const [[x, y], [toX, toY]] = [middle(from), middle(to)];
  return `translate(${x - toX}px, ${y - toY}px)`;
}

const transformFrom = (from, to) => `${shiftFrom(from, to)} scale(${from.width / to.width})`;
const turningFrom = (from, to) => `${shiftFrom(from, to)} rotateY(90deg)`;

function fly(card, from, { ms = FLIGHT, delay = 0, start = transformFrom } = {}) {
  const to = card.getBoundingClientRect();
  if (!to.width || !from.width) return; // one of them is hidden
  const transform = start(from, to);
  if (transform === "translate(0px, 0px) scale(1)") return;
  const k = pace();
  card.animate([{ transform }, { transform: "none" }], { duration: ms * k, delay: delay * k, easing: EASE, fill: "backwards" });
}

// A copy of a card that was removed, without anything that could be pressed or read out.
function copyOf(card, kind) {
  const copy = card.cloneNode(true);
  for (const name of ["data-card", "id", "name", "value", "form"]) copy.removeAttribute(name);
  copy.className = kind;
  copy.setAttribute("aria-hidden", "true");
  copy.inert = true;
  stage.append(copy);
  return copy;
}

// Move the dealer's discard under the pack, face down. The pack has been removed from the page, so copies
// of it stay until the card is there. own: the box of the viewer's card; dealer: the plate of another dealer.
function animateDiscard(own, dealer, packs) {
  const from = own ?? dealer;
  if (!from?.width || !packs[0]?.box.width) return;
  const k = pace();
  const [{ card, box }] = packs;
  const discard = copyOf(card, "card back flying discarding");
  const here = discard.getBoundingClientRect();
  const there = transformFrom(box, here);
  const start = own ? transformFrom(own, here) : shiftFrom(dealer, here);
  const flights = [discard.animate([{ transform: start }, { transform: there }], { duration: FLIGHT * k, easing: EASE, fill: "both" })];
  for (const { card: packCard, box: packBox } of packs) {
    const copy = copyOf(packCard, "card back flying");
    const transform = transformFrom(packBox, copy.getBoundingClientRect());
    flights.push(copy.animate([{ transform }, { transform, offset: 0.7 }, { transform, opacity: 0 }], { duration: 2 * FLIGHT * k, fill: "both" }));
  }
  for (const flight of flights) flight.finished.finally(() => flight.effect.target.remove()).catch(() => {});
}

// Move a card that the viewer may not see from one place to another.
function animatePassed(from, to) {
  if (!from?.width || !to?.width) return;
  const copy = copyOf(packCards()[0], "card back flying");
  const here = copy.getBoundingClientRect();
  const ends = [from, to].map((box) => ({ transform: `${shiftFrom(box, here)} scale(0.6)` }));
  const flight = copy.animate(ends, { duration: GATHER * pace(), easing: EASE, fill: "both" });
  flight.finished.finally(() => copy.remove()).catch(() => {});
}

// Move a card that was removed, as a copy that goes when it lands.
function animateRemoved(card, from, to, ms) {
  if (!to?.width || !from.width) return;
  const copy = copyOf(card, "card flying");
  const now = copy.getBoundingClientRect();
  const end = `${shiftFrom(to, now)} scale(0.8)`;
  const flight = copy.animate(
    [{ transform: transformFrom(from, now) }, { transform: end, opacity: 0.2 }],
    { duration: ms * pace(), easing: EASE, fill: "both" },
  );
  flight.finished.finally(() => copy.remove()).catch(() => {});
}

// The end of a hand: its last trick rests and goes to its winner; then the points appear in the middle
// and move to the score, which changes as they land.
const END_ELEMENTS = ".trick, .tally, .tally .token b, .recap, .prompt, .gained";

function animateEnd(before) {
  const k = pace();
  const rest = TRICK_RESTS * k;
  const swept = rest + GATHER * k;
  const trick = stage.querySelector("#trick");
  const to = plate(document.getElementById("turn").dataset.won);
  trick.animate([{ visibility: "visible" }, { visibility: "visible" }], { duration: swept });
  for (const card of trick.querySelectorAll("[data-card]")) {
    const here = card.getBoundingClientRect();
    if (!to?.width || !here.width) continue;
    const there = `${shiftFrom(to, here)} scale(0.3)`;
    card.animate([{ transform: "none", opacity: 1 }, { transform: there, opacity: 0.2 }], { duration: GATHER * k, delay: rest, easing: EASE, fill: "forwards" });
  }
  for (const one of stage.querySelectorAll(".tally:not([hidden]), .recap:not([hidden]), .prompt")) {
    one.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FLIGHT * k, delay: swept, fill: "backwards" });
  }
  animateScore(before, swept + POINTS_REST * k);
}

function animateScore(before, after) {
  const token = stage.querySelector(".tally:not([hidden]) .token b");
  const gained = stage.querySelector(".side-score .gained:not([hidden])");
  if (!token || !gained) return;
  const cell = gained.closest(".tally-of");
  const old = before.scores.get(cell.id);
  const fresh = scoreOf(cell);
  const [from, to] = [token.getBoundingClientRect(), gained.getBoundingClientRect()];
  if (!from.width || !to.width) return;
  gained.animate([{ opacity: 0 }, { opacity: 0 }], { duration: after });
  const flight = gained.animate(
    [{ transform: transformFrom(from, to), opacity: 1 }, { transform: "none", opacity: 1 }],
    { duration: POINTS * pace(), delay: after, easing: EASE },
  );
  setScore(cell, old);
  flight.finished.catch(() => {}).finally(() => setScore(cell, fresh));
}

function setScore(cell, { points, uses }) {
  const number = cell.querySelector(".points");
  if (number.textContent !== points) number.textContent = points;
  cell.querySelectorAll("use").forEach((one, at) => { if (uses[at]) one.setAttribute("href", uses[at]); });
}

// Animate every card from its old place. before: the result of `measure`, or null for no animation.
export function play(before) {
  if (!before) return;
  const now = cards();
  for (const one of [...now, ...stage.querySelectorAll(END_ELEMENTS)]) one.getAnimations().forEach((flight) => flight.cancel());
  const shown = new Set(now.map((card) => card.dataset.card));
  const passed = passedSince(before);
  const dealtFrom = passed.from && passed.to ? plate(passed.from) : pack();
  const goesTo = passed.from && passed.to ? plate(passed.to) : pack();
  let dealt = 0;
  for (const card of now) {
    const known = before.cards.get(card.dataset.card);
    const spot = card.closest(".place");
    if (known) {
      fly(card, known.box);
    } else if (spot) {
      const from = plate(spot.dataset.seat);
      if (from) fly(card, from, { start: turningFrom });
    } else {
      fly(card, dealtFrom, { ms: 260, delay: DEAL_GAP * dealt, start: turningFrom });
      dealt += 1;
    }
  }
  if (dealt > 1) {
    stage.querySelectorAll(".backs > i").forEach((card, at) => fly(card, dealtFrom, { ms: 260, delay: 25 * at, start: shiftFrom }));
  }
  // The pack goes without its turn-up when the dealer has picked that up and discarded.
  const discarded = before.packs.length && !before.turned && !packCards().length && !handIsOver() && !before.trick.length;
  if (discarded) {
    const own = [...before.cards].find(([name]) => !shown.has(name));
    animateDiscard(own?.[1].box, plate(before.turn), before.packs);
  }
  for (const [name, { box, card }] of before.cards) {
    if (shown.has(name) || discarded) continue;
    if (before.trick.includes(name)) animateRemoved(card, box, plate(before.won), GATHER);
    else animateRemoved(card, box, goesTo, FLIGHT);
  }
  if (passed.from && ![passed.from, passed.to].includes(document.getElementById("hand").dataset.seat)) animatePassed(plate(passed.from), goesTo);
  if (!before.over && handIsOver() && before.trick.length) animateEnd(before);
}

// Move the viewer's own card to its place in the trick when it is pressed, before the server answers.
// Returns a function that undoes this; it is also called when the table shows the card itself.
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
