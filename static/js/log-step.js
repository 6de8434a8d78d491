// The step of the check that asks the public log.

import { FIRST, chainFaults, matchFaults, readLines, timeFaults } from "./check-log.js";
import { open, step } from "./check-record.js";

const MOST = 5000; // lines that are fetched
const PATIENCE = 4; // times the log is asked again for what has only just happened
const PAUSE = 1500; // ms

const numbered = (numbers) => numbers.map((number) => number.toLocaleString("en")).join(", ");

async function fetchLines(address) {
  const response = await fetch(address, { headers: { Accept: "application/x-ndjson" } });
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`${response.status} from ${address}`);
  return readLines(await response.text());
}

// The lines of a match. wanted: the kind of line that must come, "started" or "revealed"; a match
// without any line that has ended is older than the log.
export async function linesOf(log, match, wanted) {
  for (let asked = 0; ; asked += 1) {
    const lines = await fetchLines(`${log}${match}.ndjson`);
    const old = wanted === "revealed" && !lines.length;
    if (old || asked === PATIENCE || lines.some(({ kind }) => kind === wanted)) return lines;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

// The lines between the first and the last of a match, which must hang together.
async function chainStep(log, lines) {
  const [first, last] = [lines[0].place, lines.at(-1).place];
  const to = Math.min(last, first + MOST - 1);
  const between = await fetchLines(`${log.replace(/\/$/, "")}.ndjson?from=${first}&to=${to}`);
  const faults = await chainFaults(between);
  if (to < last) faults.push(...timeFaults(lines));
  const missing = lines.filter((one) => one.place <= to && between[one.place - first]?.line !== one.line);
  for (const { place } of missing) {
    faults.push({ place: `line ${place} of the log`, words: "The log does not show the same line when it is read as a whole." });
  }
  if (first === last) return { faults, said: "" };
  const far = to < last ? ` The match’s last line, ${numbered([last])}, was too far on to be reached from there.` : "";
  return { faults, said: `Lines ${numbered([first])} to ${numbered([to])} were checked: each holds the fingerprint of the one before.${far}` };
}

// A game of this site into which somebody threw a number stands in its log.
function nothingTold({ here, shuffle }) {
  const promised = shuffle.commitments.some((one) => one !== FIRST);
  if (!here || !promised) return open("log", { said: "The log of this site tells nothing of this match." });
  return step("log", [{ place: "the log", words: "It has no line about this game, though it was played here and numbers were thrown in." }]);
}

// Asks the log about a match. log: its address, with a slash at the end. told: what the record says,
// see matchFaults, and whether the game was played `here`.
export async function logStep(log, match, told) {
  const ended = told.seal !== undefined;
  let lines;
  let chain;
  try {
    lines = await linesOf(log, match, ended ? "revealed" : "started");
    if (!lines.length) return nothingTold(told);
    chain = await chainStep(log, lines);
  } catch {
    return open("log", { said: "The log could not be reached. Load the page again to ask once more." });
  }
  const faults = [...matchFaults(lines, match, told), ...chain.faults];
  const kinds = lines.map(({ kind }) => kind);
  const facts = { lines };
  if (ended && !kinds.includes("revealed") && !faults.length) {
    return open("log", { ...facts, said: "The log has not told the end of this match yet. Load the page again in a minute." });
  }
  const places = lines.map(({ place }) => place);
  const end = ended ? " The end stands there with this record’s seal." : "";
  facts.said = `The log tells of this match in ${places.length === 1 ? "line" : "lines"} ${numbered(places)}.${end} ${chain.said}`;
  if (!kinds.includes("created") && !faults.length) {
    return open("log", { ...facts, said: `${facts.said} It does not tell the promise, as of games that began before there was a log.` });
  }
  return step("log", faults, facts);
}
