// The values that the table's page shows, and the frames that update them.

import { choice } from "./my-table.js";
import { fillSpots } from "./spots.js";
import { read } from "./wording.js";

const room = document.getElementById("room");

// The name and number of the state shown, as the server knows it.
let [table, number] = room.dataset.have.split(".");
number = Number(number);
// As the server sends them, and as they are shown.
const sent = JSON.parse(document.getElementById("values").textContent);
const values = read(sent);

export const have = () => `${table}.${number}`;

// The viewer's hand, each card with its possible action. The server puts trump at the left.
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

// Also shows what comes by another way than a frame, such as a hint.
export function put(changed) {
  const before = { ...values };
  Object.assign(sent, changed);
  Object.assign(values, read(sent));
  values.cards = cards();
  const same = (name) => values[name] === before[name] || JSON.stringify(values[name]) === JSON.stringify(before[name]);
  for (const name in before) if (same(name)) values[name] = before[name];
  fillSpots(Object.keys(values).filter((name) => values[name] !== before[name]), values, before);
}

// The order of a frame relative to the state shown. A complete state is always NEXT; frames that were
// applied before are SEEN; GAP means that a frame in between is missing.
export const NEXT = "next";
export const SEEN = "seen";
export const GAP = "gap";

export function orderOf(frame) {
  if (frame.to === undefined || frame.from === 0) return NEXT;
  if (frame.to <= number) return SEEN;
  return frame.from === number ? NEXT : GAP;
}

// The part of a frame to apply: if the last frame is sent again, only the viewer's own values may be new.
export function unseenPart(frame) {
  const repeated = frame.own && frame.from !== 0 && frame.to === number;
  return repeated ? { version: frame.version, own: frame.own } : frame;
}

export function apply(frame) {
  if (frame.table) table = frame.table;
  if (frame.to !== undefined) number = frame.to;
  const added = Object.entries(frame.add ?? {}).map(([name, rows]) => [name, sent[name].concat(rows)]);
  put({ stamp: frame.version, ...frame.set, ...Object.fromEntries(added), ...frame.own });
}
