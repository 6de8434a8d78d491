// The verifiable shuffle "EUF1" in the browser, byte for byte that of games/engine/shuffle.py.
// Bytes are Uint8Arrays; a pack is an array of cards such as "9C", top first.

const LEAST_CUT = 4;
const RANKS = { 24: "9TJQKA", 32: "789TJQKA", 33: "789TJQKA" };

export const NOTHING = new Uint8Array(32);
// Only on pages that came over HTTPS, or from this computer itself.
export const able = Boolean(globalThis.crypto?.subtle);

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (two) => parseInt(two, 16));
export const matchBytes = (uuid) => bytesOf(uuid.replaceAll("-", ""));
export const text = (words) => new TextEncoder().encode(words);
export const same = (one, other) => hex(one) === hex(other);

export function join(...parts) {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export async function digest(tag, ...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", join(text(tag), ...parts)));
}

async function keyed(key, message) {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const made = await crypto.subtle.importKey("raw", key, hmac, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", made, message));
}

const u32 = (number) => new Uint8Array([number >>> 24, number >>> 16, number >>> 8, number]);

export const commit = (match, secret) => digest("EUF1.commit", match, secret);

export function commitSeat(match, commitment, seat, number) {
  return digest("EUF1.client", match, commitment, new Uint8Array([seat]), number);
}

// Bit i is set where seat i threw in nothing that counts.
export async function flagsOf(match, commitment, seatCommitments, contributions) {
  let flags = 0;
  for (const [seat, number] of contributions.entries()) {
    const promised = await commitSeat(match, commitment, seat, number);
    if (number.length !== 32 || !same(promised, seatCommitments[seat])) flags |= 1 << seat;
  }
  return flags;
}

export async function mix(match, commitment, seatCommitments, contributions) {
  const flags = await flagsOf(match, commitment, seatCommitments, contributions);
  const kept = contributions.map((number, seat) => ((flags >> seat) & 1 ? NOTHING : number));
  const seats = new Uint8Array([seatCommitments.length]);
  return digest("EUF1.mix", match, commitment, seats, ...seatCommitments, ...kept, new Uint8Array([flags]));
}

async function* stream(key) {
  for (let block = 0; ; block += 1) yield* await keyed(key, u32(block));
}

async function draw(bytes, below) {
  const limit = 256 - (256 % below);
  for (;;) {
    const { value } = await bytes.next();
    if (value < limit) return value % below;
  }
}

export async function firstDealer(secret, mixed, seats) {
  return draw(stream(await keyed(secret, join(text("EUF1.dealer"), mixed))), seats);
}

export function packInOrder(cards) {
  const plain = [..."CDHS"].flatMap((suit) => [...RANKS[cards]].map((rank) => rank + suit));
  return cards === 33 ? [...plain, "Jo"] : plain;
}

// The pack of a deal, numbered from 0, before the cut; and the automatic cut, 0 where nobody cuts.
export async function shuffled(cards, cuts, secret, mixed, deal) {
  const bytes = stream(await keyed(secret, join(text("EUF1.deal"), mixed, u32(deal))));
  const pack = packInOrder(cards);
  for (let last = pack.length - 1; last > 0; last -= 1) {
    const other = await draw(bytes, last + 1);
    [pack[last], pack[other]] = [pack[other], pack[last]];
  }
  const cut = cuts ? LEAST_CUT + (await draw(bytes, pack.length - 2 * LEAST_CUT + 1)) : 0;
  return { pack, cut };
}
