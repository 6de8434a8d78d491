// The values of the table as this page shows them, and the frames that change them.

import { choice } from "./my-table.js";
import { fillSpots } from "./spots.js";

const room = document.getElementById("room");

// What the page shows, as the server asks for it, and all of its values.
let [table, number] = room.dataset.have.split(".");
number = Number(number);
const values = JSON.parse(document.getElementById("values").textContent);

export const have = () => `${table}.${number}`;

// The viewer's cards, with what can be done with each now. Trump comes at the left; some like it at
// the right.
function cards() {
  const { hand, barred, why } = values;
  const action = values["hand.choose"];
  const rows = hand.map((row) => {
    if (!row.card) return row;
    const not = barred?.split(" ").includes(row.card);
    const label = not ? `${row.label}. ${why}` : row.label;
    return { ...row, action: action && `${action} ${row.card}`, idle: !action, why: not ? why : null, label };
  });
  return choice("trump") === "right" ? rows.reverse() : rows;
}

values.cards = cards();
if (choice("trump") === "right") {
  const hand = document.getElementById("hand");
  hand.append(...[...hand.childNodes].reverse());
}
document.addEventListener("chosen", ({ detail }) => { if (detail === "trump") put({}); });

function put(changed) {
  const before = { ...values };
  Object.assign(values, changed);
  const next = cards();
  if (JSON.stringify(next) !== JSON.stringify(values.cards)) {
    values.cards = next;
    changed = { ...changed, cards: next };
  }
  fillSpots(Object.keys(changed), values, before);
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

// Sent again, the frame that the page has had last has the viewer's own values as they are now, and
// these alone may be new.
export function news(frame) {
  const again = frame.own && frame.from !== 0 && frame.to === number;
  return again ? { version: frame.version, own: frame.own } : frame;
}

export function show(frame) {
  if (frame.table) table = frame.table;
  if (frame.to !== undefined) number = frame.to;
  const added = Object.entries(frame.add ?? {}).map(([name, rows]) => [name, values[name].concat(rows)]);
  put({ stamp: frame.version, ...frame.set, ...Object.fromEntries(added), ...frame.own });
}
