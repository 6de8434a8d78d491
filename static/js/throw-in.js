// Contributes this browser's number to the shuffle of the next game: first the commitment to it, then,
// when all commitments are frozen, the number. Both are stored in the browser, for page reloads and to
// verify the finished game.

import { able, bytesOf, commitSeat, hex, matchBytes } from "./digests.js";

const MAX_KEPT = 50;
const PREFIX = "bower.thrown.";

// What this page itself has drawn, in case the browser stores nothing.
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

// What this browser has stored for a seat in a shuffle, or null: { at, number, frozen }. at: when the number
// was drawn, in ms. frozen: the commitments of all seats as shown before the number was revealed, "-" for
// none, or null until then. What this page drew itself goes before what another tab has stored.
export const keptOf = (match, seat) => remembered.get(nameOf(match, seat)) ?? read(nameOf(match, seat));

function keep(match, seat, kept) {
  const name = nameOf(match, seat);
  remembered.set(name, kept);
  try {
    const others = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== name);
    const age = Object.fromEntries(others.map((key) => [key, read(key)?.at ?? 0]));
    others.sort((one, other) => age[other] - age[one]);
    for (const old of others.slice(MAX_KEPT - 1)) localStorage.removeItem(old);
    localStorage.setItem(name, JSON.stringify(kept));
  } catch {
    // Private windows may refuse storage.
  }
  return kept;
}

function draw(match, seat) {
  const number = hex(crypto.getRandomValues(new Uint8Array(32)));
  return keep(match, seat, { at: Date.now(), number, frozen: null });
}

let answered = ""; // the last question answered over this socket

// After reconnecting, answer again: the last message may never have arrived.
export function throwInAgain(send) {
  answered = "";
  return throwIn(send);
}

export async function throwIn(send) {
  const { match, commitment, seat, asks, commitments } = document.getElementById("shuffle").dataset;
  const question = `${match} ${seat} ${asks}`;
  if (!able || !asks || question === answered) return;
  const known = keptOf(match, seat);
  if (asks === "number" && !known) return; // another browser of this player made the commitment
  const kept = known ?? draw(match, seat);
  const number = bytesOf(kept.number);
  const promised = hex(await commitSeat(matchBytes(match), bytesOf(commitment), Number(seat), number));
  if (asks === "number") {
    // Reveal the number only if the server still shows its commitment, and store all commitments shown, so
    // that "Verify this match" can check later that the server did not change them.
    const frozen = commitments.split(" ");
    if (frozen[Number(seat)] !== promised) return;
    if (!kept.frozen) keep(match, seat, { ...kept, frozen });
  }
  const answer = asks === "number" ? { number: hex(number) } : { commitment: promised };
  if (send({ shuffle: match, ...answer })) answered = question;
}
