// Whether the public log tells the same of a game as its record, and whether its lines hang together.

import { digest, hex, text } from "./euf1.js";

export const FIRST = "0".repeat(64); // also the commitment of a seat that made none
const TOLD_AT_START = ["commitments", "contributions", "flags", "mixed"];

// The lines of a part of the log as they were sent, with what each says; unreadable ones say nothing.
export function readLines(ndjson) {
  return ndjson
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      try {
        return { ...JSON.parse(line), line };
      } catch {
        return { line };
      }
    });
}

export const hashOf = async (line) => hex(await digest("EUF1.log", text(line)));

// Whether a text is a moment as the log writes them; earlier ones sort first.
function isTime(at) {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/.test(at)) return false;
  const moment = new Date(at);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 19) === at.slice(0, 19);
}

// What is wrong with the times of lines in their order: none is older than one before it.
export function timeFaults(lines) {
  const faults = [];
  let latest = "";
  for (const { place, at } of lines) {
    const where = `at in line ${place ?? "?"} of the log`;
    if (!isTime(at)) faults.push({ place: where, words: "This is no time." });
    else if (at < latest) faults.push({ place: where, words: `A line before it is of ${latest}.` });
    else latest = at;
  }
  return faults;
}

// What is wrong with lines that should follow each other: places without gaps, each line with the
// hash of the one before, and not older.
export async function chainFaults(lines) {
  const faults = timeFaults(lines);
  for (const [n, { place, previous }] of lines.entries()) {
    const where = `line ${place ?? "?"} of the log`;
    if (n > 0 && place !== lines[n - 1].place + 1) {
      faults.push({ place: where, words: `It should be line ${lines[n - 1].place + 1}.` });
    } else if (previous !== (n > 0 ? await hashOf(lines[n - 1].line) : place === 1 ? FIRST : previous)) {
      faults.push({ place: where, words: "It does not hold the hash of the line before: one of the two was altered." });
    }
  }
  return faults;
}

// Where the lines of one game differ from its shuffle, its end and its seal. What is not known yet
// is left out: `told` holds shuffle, and state and seal once the game has ended.
export function matchFaults(lines, match, { shuffle, state, seal }) {
  const faults = [];
  const line = (kind) => lines.find((one) => one.kind === kind);
  const compare = (kind, key, wanted) => {
    const told = line(kind);
    if (!told || wanted === undefined || String(told[key]) === String(wanted)) return;
    faults.push({ place: `${key} in line ${told.place} of the log`, words: "The log tells this otherwise than the record." });
  };
  for (const one of lines) {
    if (one.match !== match) faults.push({ place: `line ${one.place ?? "?"} of the log`, words: "This line is about another game." });
  }
  compare("created", "commitment", shuffle.commitment);
  for (const key of TOLD_AT_START) compare("started", key, shuffle[key]);
  compare("revealed", "secret", shuffle.secret);
  compare("revealed", "state", state);
  compare("revealed", "seal", seal);
  // A game older than the log has no line but its end; but then no seat has promised a number.
  const older = !line("created") && !line("started") && shuffle.commitments.every((one) => one === FIRST);
  for (const kind of ["created", "started", "revealed"]) {
    const times = lines.filter((one) => one.kind === kind).length;
    const missing = !times && kind !== "revealed" && !older;
    if (missing || times > 1) faults.push({ place: "the log", words: `It has ${times ? `${times} lines` : "no line"} of the kind “${kind}” about this game.` });
  }
  if (line("aborted")) faults.push({ place: `line ${line("aborted").place} of the log`, words: "The log says that this shuffle was dropped before a game began." });
  const places = ["created", "started", "revealed"].map((kind) => line(kind)?.place).filter(Boolean);
  if (places.some((place, n) => n > 0 && place <= places[n - 1])) {
    faults.push({ place: `line ${places.at(-1)} of the log`, words: "The promise, the beginning and the end stand in the wrong order." });
  }
  return faults;
}
