// Reads and validates the file of a game's record. It must be byte for byte what games/files/writing.py
// writes for the same data.

import { schemaFaults, shown } from "./record-form.js";
import { JsonError, readJson } from "./strict-json.js";

export const MAX_BYTES = 1_000_000; // bytes
const FORMAT = "Bower game record";
const VERSION = 2;
const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });

// The text of a record as Bower writes it.
export function serialize(data) {
  const fields = Object.entries(data).map(([key, value]) => `${JSON.stringify(key)}: ${block(value)}`);
  return `{\n${fields.join(",\n")}\n}\n`;
}

function block(value) {
  if (!Array.isArray(value) || !value.length) return spaced(value);
  return `[\n${value.map((entry) => ` ${spaced(entry)}`).join(",\n")}\n]`;
}

function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`);
  return `{${fields.join(", ")}}`;
}

// Line and column of an index in a text, counted from 1, and the part of the record it is in.
function placeOf(text, at) {
  const before = text.slice(0, at).split("\n");
  const part = text.slice(0, at).match(/^"(\w+)":/gm)?.at(-1)?.slice(1, -2);
  return `line ${before.length}, column ${[...before.at(-1)].length + 1}${part ? `, in ${part}` : ""}`;
}

function firstDifference(one, other) {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

// The number of bytes of a character in UTF-8.
const sizeOf = (character) => [0x80, 0x800, 0x10000].filter((least) => character.codePointAt() >= least).length + 1;

// The index in the text of the first byte that is not UTF-8, or -1. Such bytes are decoded as U+FFFD, which
// is valid if the bytes encode that character itself.
function firstInvalid(bytes, text) {
  let [at, byte] = [0, 0];
  for (const character of text) {
    const intended = bytes[byte] === 0xef && bytes[byte + 1] === 0xbf && bytes[byte + 2] === 0xbd;
    if (character === "\ufffd" && !intended) return at;
    at += character.length;
    byte += sizeOf(character);
  }
  return -1;
}

// Parse and validate a file. `data` is null if it cannot be read at all; `whole` is true if every value is
// present and of its type, so that the other checks can run.
export function readRecord(bytes) {
  const refused = (place, words) => ({ data: null, whole: false, faults: [{ place, words }] });
  if (bytes.length > MAX_BYTES) {
    const [largest, found] = [MAX_BYTES, bytes.length].map((number) => number.toLocaleString("en"));
    return refused("the file", `A record has at most ${largest} bytes; this file has ${found}.`);
  }
  const text = UTF_8.decode(bytes);
  const invalid = firstInvalid(bytes, text);
  if (invalid >= 0) return refused(placeOf(text, invalid), "This is not UTF-8 text.");
  let data;
  try {
    data = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refused(placeOf(text, error.at), `This is not JSON as Bower writes it. ${error.message}`);
  }
  if (data?.format !== FORMAT) return refused("format", "This is not a Bower game record.");
  if (data.version !== VERSION) {
    return refused("version", `Version ${VERSION} of the record is expected, not ${shown(data.version)}.`);
  }
  const faults = schemaFaults(data);
  const whole = !faults.length;
  const exact = serialize(data);
  if (exact !== text) {
    const words = "Bower would write this differently, even if it means the same.";
    faults.push({ place: placeOf(text, firstDifference(exact, text)), words });
  }
  return { data, whole, faults };
}
