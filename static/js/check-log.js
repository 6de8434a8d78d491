// Checks that the public log agrees with a game's record, and that its lines form a hash chain.

import { digest, hex, text } from "./digests.js";

export const FIRST = "0".repeat(64); // the hash before the first line; also stands for a missing commitment
const LISTED = 63; // games that a line about shared deals lists at most
const START_KEYS = ["commitments", "contributions", "flags", "mixed"];

// Parse lines of the log; each keeps its text in `line`, and an unreadable one has only that.
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

// True for a time as the log writes it; such texts sort by time.
function isTime(at) {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/.test(at)) return false;
  const moment = new Date(at);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 19) === at.slice(0, 19);
}

// Faults of times, which must not decrease from line to line.
export function timeFaults(lines) {
  const faults = [];
  let latest = "";
  for (const { place, at } of lines) {
    const where = `at in line ${place ?? "?"} of the log`;
    if (!isTime(at)) faults.push({ place: where, words: "This is not a valid time." });
    else if (at < latest) faults.push({ place: where, words: `An earlier line has a later time, ${latest}.` });
    else latest = at;
  }
  return faults;
}

// Faults of consecutive lines: numbered without gaps, each with the hash of the previous line, and not
// older than it.
export async function chainFaults(lines) {
  const faults = timeFaults(lines);
  for (const [n, { place, previous }] of lines.entries()) {
    const where = `line ${place ?? "?"} of the log`;
    if (n > 0 && place !== lines[n - 1].place + 1) {
      faults.push({ place: where, words: `It should be line ${lines[n - 1].place + 1}.` });
    } else if (previous !== (n > 0 ? await hashOf(lines[n - 1].line) : place === 1 ? FIRST : previous)) {
      faults.push({ place: where, words: "It does not contain the hash of the previous line: one of the two was altered." });
    }
  }
  return faults;
}

// Where the log's lines about a game differ from its shuffle, final state and seal. For a game still being
// played `state` and `seal` are undefined. Deals that tables share have one shuffle for all of them; the
// seal is each table's own.
export function matchFaults(lines, match, { shuffle, state, seal }) {
  const shared = shuffle.match;
  const faults = [];
  const line = (kind) => lines.find((one) => one.kind === kind);
  const compare = (kind, key, wanted) => {
    const logged = line(kind);
    if (!logged || wanted === undefined || String(logged[key]) === String(wanted)) return;
    faults.push({ place: `${key} in line ${logged.place} of the log`, words: "The log and the record differ here." });
  };
  for (const one of lines) {
    const own = shared && one.kind !== "revealed" ? shared : match;
    if (one.match !== own) faults.push({ place: `line ${one.place ?? "?"} of the log`, words: "This line is about another game." });
  }
  compare("created", "commitment", shuffle.commitment);
  for (const key of START_KEYS) compare("started", key, shuffle[key]);
  compare("revealed", "secret", shuffle.secret);
  compare("opened", "secret", shuffle.secret);
  const { games, tables = games?.length, place: at } = line("opened") ?? {};
  const every = games && (games.length < LISTED || tables === games.length);
  if (seal !== undefined && every && !games.includes(match)) {
    faults.push({ place: `games in line ${at} of the log`, words: "The deals were not opened for this game." });
  }
  compare("revealed", "state", state);
  compare("revealed", "seal", seal);
  // A game that began before the log existed has only its last line, and no seat commitments.
  const older = !line("created") && !line("started") && shuffle.commitments.every((one) => one === FIRST);
  const kinds = ["created", "started", ...(shared ? ["opened"] : []), "revealed"];
  for (const kind of kinds) {
    const times = lines.filter((one) => one.kind === kind).length;
    const missing = !times && (kind === "created" || kind === "started") && !older;
    if (missing || times > 1) faults.push({ place: "the log", words: `It has ${times ? `${times} lines` : "no line"} of the kind “${kind}” about this game.` });
  }
  if (line("aborted")) faults.push({ place: `line ${line("aborted").place} of the log`, words: "The log says that this shuffle was dropped before a game began." });
  const places = kinds.map((kind) => line(kind)?.place).filter(Boolean);
  if (places.some((place, n) => n > 0 && place <= places[n - 1])) {
    faults.push({ place: `line ${places.at(-1)} of the log`, words: "The promise, the start and the end are in the wrong order." });
  }
  return faults;
}
