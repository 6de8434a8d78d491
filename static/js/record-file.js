// Reads the file of a game's record: its bytes, its JSON, its form. It must be, to the byte, what
// games/files/writing.py writes for the same data.

import { formFaults, shown } from "./record-form.js";
import { JsonError, readJson } from "./strict-json.js";

export const LARGEST = 1_000_000; // bytes
const FORMAT = "Bower game record";
const VERSION = 2;
const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });

// The text in which a record with these data is written.
export function writtenOut(data) {
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

// Line and column of a place in a text, counted from 1, and the part of the record that stands there.
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

const sizeOf = (sign) => [0x80, 0x800, 0x10000].filter((least) => sign.codePointAt() >= least).length + 1;

// Where in the text the bytes are not UTF-8, and -1 where they are throughout. What cannot be read
// is U+FFFD in the text; where the bytes say so themselves, it is meant.
function firstOdd(bytes, text) {
  let [at, byte] = [0, 0];
  for (const sign of text) {
    const meant = bytes[byte] === 0xef && bytes[byte + 1] === 0xbf && bytes[byte + 2] === 0xbd;
    if (sign === "\ufffd" && !meant) return at;
    at += sign.length;
    byte += sizeOf(sign);
  }
  return -1;
}

// What a file says, and what is wrong with it. `data` is null where it cannot be read at all; `whole`
// says whether every value is there and of its kind, so that all can be worked out.
export function readRecord(bytes) {
  const refused = (place, words) => ({ data: null, whole: false, faults: [{ place, words }] });
  if (bytes.length > LARGEST) {
    const [most, found] = [LARGEST, bytes.length].map((number) => number.toLocaleString("en"));
    return refused("the file", `A record has at most ${most} bytes, this file has ${found}.`);
  }
  const text = UTF_8.decode(bytes);
  const odd = firstOdd(bytes, text);
  if (odd >= 0) return refused(placeOf(text, odd), "This is not text in UTF-8.");
  let data;
  try {
    data = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refused(placeOf(text, error.at), `This is not JSON as Bower writes it. ${error.message}`);
  }
  if (data?.format !== FORMAT) return refused("format", "This is not Bower’s record of a game.");
  if (data.version !== VERSION) {
    return refused("version", `Version ${VERSION} of the record is read here, and this says ${shown(data.version)}.`);
  }
  const faults = formFaults(data);
  const whole = !faults.length;
  const exact = writtenOut(data);
  if (exact !== text) {
    const words = "These bytes are not those that Bower writes, even if they mean the same.";
    faults.push({ place: placeOf(text, firstDifference(exact, text)), words });
  }
  return { data, whole, faults };
}
