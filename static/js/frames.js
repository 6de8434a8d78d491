// Puts what a frame brings in its place. What everybody sees comes part by part and takes the place
// of the part before; lines of the log are added; the viewer's hand keeps its cards, each one element
// as long as it is held, so that a focus or a flight goes on.

import { choice } from "./my-table.js";

const room = document.getElementById("room");

let [table, number] = room.dataset.have.split(".");
number = Number(number);

// What the page shows, as the server asks for it.
export const have = () => `${table}.${number}`;

const SUITS = { c: "Clubs", d: "Diamonds", h: "Hearts", s: "Spades" };
const use = (what, more = "") => `<svg${more}><use href="${what}"/></svg>`;

// The inside of a card, or of its name in the log, as the server draws it on a whole page
// (templates/games/picture/parts.html).
export function inside(card, asWord) {
  const joker = card === "Jo";
  if (joker && asWord) return "Joker";
  const rank = joker ? "★" : card[0] === "T" ? "10" : card[0];
  const suit = card[1].toLowerCase();
  const pip = `#suit-${suit}`;
  if (asWord) return `${rank}${use(pip, ' aria-hidden="true"')}<span class="unseen"> of ${SUITS[suit]}</span>`;
  const corner = `<span class="index${rank === "10" ? " ten" : ""}" data-corner="${rank}">${joker ? "" : use(pip)}</span>`;
  const face = `${room.dataset.drawings}#face-${joker ? "J" : rank}${suit}`;
  return corner + use(face, ' class="face" viewBox="0 0 100 140"') + corner + use(joker ? "#star" : pip, ' class="sole"');
}

// Cards come without face and suit, their names in the log without letters.
function fill(fragment) {
  for (const one of fragment.querySelectorAll("[data-card], [data-word]")) {
    const { card, word } = one.dataset;
    one.dataset.suit = (card ?? word)[1].toLowerCase();
    one.insertAdjacentHTML("afterbegin", inside(card ?? word, Boolean(word)));
    if (word) one.className = "suit";
    else if (one.tagName !== "BUTTON") one.setAttribute("role", "img");
  }
  return fragment;
}

function drawn(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return fill(document.importNode(template.content, true));
}

// A card in the hand is a button: of the form of actions if one can be chosen, else of none.
const OF_FORM = ["form", "name", "value"];

function ready(card, choose) {
  if (choose) {
    card.removeAttribute("type");
    [["form", "act"], ["name", "action"], ["value", `${choose} ${card.dataset.card}`]].forEach(([name, value]) => card.setAttribute(name, value));
  } else {
    card.type = "button";
    for (const name of OF_FORM) card.removeAttribute(name);
  }
}

// A card that is still in the hand stays the same element; one that reads as before is only named.
function kept(card, old) {
  if (card.dataset.same) return old;
  if (!old) return card;
  for (const { name } of [...old.attributes]) {
    if (!card.hasAttribute(name) && !["data-chosen", "data-laid"].includes(name)) old.removeAttribute(name);
  }
  for (const { name, value } of card.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const mark of old.querySelectorAll(".bower, .from")) mark.remove();
  old.append(...card.querySelectorAll(".bower, .from"));
  return old;
}

function handle(next) {
  const hand = document.getElementById("hand");
  const known = new Map([...hand.querySelectorAll("[data-card]")].map((one) => [one.dataset.card, one]));
  const cards = inOrder([...next.children]).map((card) => {
    const now = kept(card, known.get(card.dataset.same ?? card.dataset.card));
    if (now.dataset.card) ready(now, next.dataset.choose);
    return now;
  });
  for (const { name } of [...hand.attributes]) if (!next.hasAttribute(name)) hand.removeAttribute(name);
  for (const { name, value } of next.attributes) hand.setAttribute(name, value);
  for (const old of [...hand.children]) if (!cards.includes(old)) old.remove();
  cards.forEach((card, at) => { if (hand.children[at] !== card) hand.insertBefore(card, hand.children[at] ?? null); });
}

// Trump comes at the left; some like it at the right.
const inOrder = (cards) => (choice("trump") === "right" ? cards.reverse() : cards);

function turnHand() {
  const hand = document.getElementById("hand");
  hand.append(...[...hand.children].reverse());
}

if (choice("trump") === "right") turnHand();
document.addEventListener("chosen", ({ detail }) => { if (detail === "trump") turnHand(); });

function place(html) {
  for (const part of [...drawn(html).children]) document.getElementById(part.id)?.replaceWith(part);
}

// How the viewer's own parts were drawn: one that comes again, as after a lost line, is left with
// what has been chosen in it, and with the press that is just being made on it.
const own = new Map([["question", document.getElementById("question").outerHTML]]);

function placeOwn(html) {
  for (const part of [...drawn(html).children]) {
    if (part.id === "hand") {
      handle(part);
    } else {
      const now = document.getElementById(part.id);
      if ((own.get(part.id) ?? now?.outerHTML) !== part.outerHTML) now?.replaceWith(part);
      own.set(part.id, part.outerHTML);
    }
  }
}

// Whether a frame follows what the page shows. A whole picture always does; one that has been
// shown already is passed over; one that leaves something out is not shown at all.
export const FOLLOWS = "follows";
export const KNOWN = "known";
export const MISSED = "missed";

export function standing(frame) {
  if (frame.to === undefined || frame.from === 0) return FOLLOWS;
  if (frame.to <= number) return KNOWN;
  return frame.from === number ? FOLLOWS : MISSED;
}

// Sent again, the frame that the page has had last has the viewer's own parts as they are now, and
// these alone may be new.
export function news(frame) {
  const again = frame.own && frame.from !== 0 && frame.to === number;
  return again ? { version: frame.version, own: frame.own } : frame;
}

export function show(frame) {
  if (frame.table) table = frame.table;
  if (frame.to !== undefined) number = frame.to;
  document.getElementById("stamp").setAttribute("value", frame.version);
  if (frame.parts) place(frame.parts);
  if (frame.log) document.getElementById("log-deal").append(drawn(frame.log));
  if (frame.own) placeOwn(frame.own);
}
