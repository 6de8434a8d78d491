// Throws this browser's number into the shuffle of the next game: its commitment first, the
// number when all commitments are frozen. Both are kept in the browser, so that a page that is
// loaded again knows the number, and so that all can be found again in the finished game.

import { able, bytesOf, commitSeat, hex, matchBytes } from "./euf1.js";

const KEPT = 50;
const PREFIX = "bower.thrown.";

// What this page itself has drawn, also where the browser keeps nothing.
const remembered = new Map();

const nameOf = (match, seat) => `${PREFIX}${match}.${seat}`;

function read(name) {
  try {
    const kept = JSON.parse(localStorage.getItem(name));
    return typeof kept?.number === "string" ? kept : null;
  } catch {
    return null;
  }
}

// What this browser keeps of a seat in a shuffle, or null: { at, number, frozen }. at: when the number
// was drawn, in ms. frozen: the commitments of all seats as they were shown before it told its number,
// "-" for none, or null as long as they were not. What another tab has kept of the same seat at the
// same moment does not count on this page.
export const keptOf = (match, seat) => remembered.get(nameOf(match, seat)) ?? read(nameOf(match, seat));

function keep(match, seat, kept) {
  const name = nameOf(match, seat);
  remembered.set(name, kept);
  try {
    const others = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== name);
    const age = Object.fromEntries(others.map((key) => [key, read(key)?.at ?? 0]));
    others.sort((one, other) => age[other] - age[one]);
    for (const old of others.slice(KEPT - 1)) localStorage.removeItem(old);
    localStorage.setItem(name, JSON.stringify(kept));
  } catch {
    // Private windows may keep nothing.
  }
  return kept;
}

function draw(match, seat) {
  const number = hex(crypto.getRandomValues(new Uint8Array(32)));
  return keep(match, seat, { at: Date.now(), number, frozen: null });
}

let answered = ""; // what was sent last over this socket, so that it is sent once

// Over a new socket all is answered anew: what the old one was sent last may never have come.
export function throwInAgain(send) {
  answered = "";
  return throwIn(send);
}

export async function throwIn(send) {
  const { match, commitment, seat, asks, commitments } = document.getElementById("shuffle").dataset;
  const question = `${match} ${seat} ${asks}`;
  if (!able || !asks || question === answered) return;
  const known = keptOf(match, seat);
  if (asks === "number" && !known) return; // another browser of this player has committed itself
  const kept = known ?? draw(match, seat);
  const number = bytesOf(kept.number);
  const promised = hex(await commitSeat(matchBytes(match), bytesOf(commitment), Number(seat), number));
  if (asks === "number") {
    // A number is told only if the server holds on to the commitment to it; what it shows then is
    // kept, so that it can be seen later whether the server held on to that too.
    const frozen = commitments.split(" ");
    if (frozen[Number(seat)] !== promised) return;
    if (!kept.frozen) keep(match, seat, { ...kept, frozen });
  }
  const told = asks === "number" ? { number: hex(number) } : { commitment: promised };
  if (send({ shuffle: match, ...told })) answered = question;
}
