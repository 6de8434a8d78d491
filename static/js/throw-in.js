// Throws this browser's number into the shuffle of the next game: its commitment first, the
// number when all commitments are frozen. The number is kept in the browser, so that a page that
// is loaded again knows it, and so that it can be found again in the finished game.

import { able, bytesOf, commitSeat, hex, matchBytes } from "./euf1.js";

const KEPT = 50;
const PREFIX = "bower.thrown.";

// Where the browser keeps nothing, the page does, for as long as it is open.
const remembered = new Map();

const nameOf = (match, seat) => `${PREFIX}${match}.${seat}`;

// The number this browser threw in, in hexadecimal, or null.
export function numberOf(match, seat) {
  const name = nameOf(match, seat);
  try {
    return localStorage.getItem(name) ?? remembered.get(name) ?? null;
  } catch {
    return remembered.get(name) ?? null;
  }
}

function newNumber(match, seat) {
  const name = nameOf(match, seat);
  const number = hex(crypto.getRandomValues(new Uint8Array(32)));
  remembered.set(name, number);
  try {
    const old = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of old.slice(0, Math.max(0, old.length - KEPT))) localStorage.removeItem(key);
    localStorage.setItem(name, number);
  } catch {
    // Private windows may keep nothing.
  }
  return number;
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
  const known = numberOf(match, seat);
  if (asks === "number" && !known) return; // another browser of this player has committed itself
  const number = bytesOf(known ?? newNumber(match, seat));
  const promised = hex(await commitSeat(matchBytes(match), bytesOf(commitment), Number(seat), number));
  // A number is told only if the server holds on to the commitment to it.
  if (asks === "number" && commitments.split(" ")[Number(seat)] !== promised) return;
  const told = asks === "number" ? { number: hex(number) } : { commitment: promised };
  if (send({ shuffle: match, ...told })) answered = question;
}
