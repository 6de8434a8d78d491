// The verifiable shuffle "EUF1" in the browser; its results are identical to those of
// games/engine/shuffle.py, see docs/fairness.md. A pack is an array of cards such as "9C",
// top first.

import { bytesOf, commitSeat, digest, hex, join, same, text } from "./digests.js";

const MIN_CUT = 4;
// By the number of cards: the ranks from low to high, and whether there is a joker.
const PACKS = {
  24: ["9TJQKA", false],
  25: ["9TJQKA", true],
  28: ["89TJQKA", false],
  29: ["89TJQKA", true],
  32: ["789TJQKA", false],
  33: ["789TJQKA", true],
};

// Stands for the number or commitment of a seat that sent none.
export const NOTHING = new Uint8Array(32);

// Returns a function that computes the HMAC-SHA-256 of a message under a key.
async function keyedBy(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (message) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

const u32 = (number) => new Uint8Array([number >>> 24, number >>> 16, number >>> 8, number]);

// The server's commitment to its secret, published before any seat contributes a number.
export const commit = (match, secret) => digest("EUF1.commit", match, secret);

// For each seat, whether it contributed no valid number. Tables that share their deals have four seats each,
// in the order of the tables.
export function flaggedSeats(match, commitment, seatCommitments, contributions) {
  return Promise.all(
    contributions.map(async (number, seat) => {
      const promised = await commitSeat(match, commitment, seat, number);
      return number.length !== 32 || !same(promised, seatCommitments[seat]);
    }),
  );
}

// The flags as one byte for every eight seats, the last seats first; bit i is that of seat i.
function flagBytes(flagged) {
  const bytes = new Uint8Array(Math.ceil(flagged.length / 8));
  for (const [seat, set] of flagged.entries()) {
    if (set) bytes[bytes.length - 1 - (seat >> 3)] |= 1 << (seat & 7);
  }
  return bytes;
}

// The flags as records and the log write them: a number, or hexadecimal digits for more than eight seats.
export const writtenFlags = (flagged) => (flagged.length > 8 ? hex(flagBytes(flagged)) : flagBytes(flagged)[0]);

// Whether a seat is set in written flags.
export function isFlagged(flags, seat) {
  if (typeof flags === "number") return Boolean((flags >> seat) & 1);
  const bytes = bytesOf(flags);
  return Boolean((bytes[bytes.length - 1 - (seat >> 3)] >> (seat & 7)) & 1);
}

export async function flagsOf(match, commitment, seatCommitments, contributions) {
  return writtenFlags(await flaggedSeats(match, commitment, seatCommitments, contributions));
}

// The mix of all seats' numbers; an invalid number counts as NOTHING.
export async function mix(match, commitment, seatCommitments, contributions) {
  const flagged = await flaggedSeats(match, commitment, seatCommitments, contributions);
  const kept = contributions.map((number, seat) => (flagged[seat] ? NOTHING : number));
  const seats = new Uint8Array([seatCommitments.length]);
  return digest("EUF1.mix", match, commitment, seats, ...seatCommitments, ...kept, flagBytes(flagged));
}

// Returns a function that draws a uniform number below a limit, from the byte stream of a key.
async function drawing(key) {
  const keyed = await keyedBy(key);
  let [block, bytes, at] = [0, [], 0];
  return async (below) => {
    const limit = 256 - (256 % below);
    for (;;) {
      if (at === bytes.length) {
        bytes = await keyed(u32(block));
        [block, at] = [block + 1, 0];
      }
      const byte = bytes[at];
      at += 1;
      if (byte < limit) return byte % below;
    }
  };
}

export async function firstDealer(secret, mixed, seats) {
  const keyed = await keyedBy(secret);
  const draw = await drawing(await keyed(join(text("EUF1.dealer"), mixed)));
  return draw(seats);
}

// The joker is the two of spades where the rules have the Benny.
export function packInOrder({ pack: cards, benny }) {
  const [ranks, joker] = PACKS[cards];
  const plain = [..."CDHS"].flatMap((suit) => [...ranks].map((rank) => rank + suit));
  return joker ? [...plain, benny ? "2S" : "Jo"] : plain;
}

// The pack of a deal before the cut, and the automatic cut, 0 if the rules have none. deal: counted from 0.
export async function shuffled(rules, secret, mixed, deal) {
  const keyed = await keyedBy(secret);
  const draw = await drawing(await keyed(join(text("EUF1.deal"), mixed, u32(deal))));
  const pack = packInOrder(rules);
  for (let last = pack.length - 1; last > 0; last -= 1) {
    const other = await draw(last + 1);
    [pack[last], pack[other]] = [pack[other], pack[last]];
  }
  const cut = rules.cut ? MIN_CUT + (await draw(pack.length - 2 * MIN_CUT + 1)) : 0;
  return { pack, cut };
}

// The hands by seat, the turned-up card, and the cards under it.
export function dealt(pack, cut, packets, dealer, seats) {
  const cards = [...pack.slice(cut), ...pack.slice(0, cut)];
  const hands = Array.from({ length: seats }, () => []);
  let top = 0;
  for (const size of packets) {
    for (let turn = 1; turn <= seats; turn += 1) {
      hands[(dealer + turn) % seats].push(...cards.slice(top, top + size));
      top += size;
    }
  }
  return { hands, turnUp: cards[top], kitty: cards.slice(top + 1) };
}
