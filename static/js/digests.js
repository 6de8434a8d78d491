// Bytes, digests and commitments, as the shuffle "EUF1" and its records use them. Bytes are Uint8Arrays. Tables
// load this without the rest of the shuffle, which only verifying needs.

// Browsers offer Web Crypto only on pages from HTTPS or localhost.
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

// The commitment of a seat's browser to its number.
export function commitSeat(match, commitment, seat, number) {
  return digest("EUF1.client", match, commitment, new Uint8Array([seat]), number);
}
