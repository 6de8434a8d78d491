// The step of the check that compares a match with the public log.

import { FIRST, chainFaults, matchFaults, readLines, timeFaults } from "./check-log.js";
import { open, step } from "./check-record.js";

const MAX_LINES = 5000; // fetched at once
const RETRIES = 4; // since the log may be a moment behind
const RETRY_AFTER = 1500; // ms

const numbered = (numbers) => numbers.map((number) => number.toLocaleString("en")).join(", ");

async function fetchLines(address) {
  const response = await fetch(address, { headers: { Accept: "application/x-ndjson" } });
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`${response.status} from ${address}`);
  return readLines(await response.text());
}

// Fetch the lines of a match. wanted: the kind of line to wait for, "started" or "revealed"; a finished
// match without any line is older than the log.
export async function linesOf(log, match, wanted) {
  for (let retries = 0; ; retries += 1) {
    const lines = await fetchLines(`${log}${match}.ndjson`);
    const old = wanted === "revealed" && !lines.length;
    if (old || retries === RETRIES || lines.some(({ kind }) => kind === wanted)) return lines;
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER));
  }
}

// Check the hash chain from the first to the last line of a match.
async function chainStep(log, lines) {
  const [first, last] = [lines[0].place, lines.at(-1).place];
  const to = Math.min(last, first + MAX_LINES - 1);
  const between = await fetchLines(`${log.replace(/\/$/, "")}.ndjson?from=${first}&to=${to}`);
  const faults = await chainFaults(between);
  if (to < last) faults.push(...timeFaults(lines));
  const missing = lines.filter((one) => one.place <= to && between[one.place - first]?.line !== one.line);
  for (const { place } of missing) {
    faults.push({ place: `line ${place} of the log`, words: "This line differs when the log is read as a whole." });
  }
  if (first === last) return { faults, said: "" };
  const far = to < last ? ` The match’s last line, ${numbered([last])}, is too far along to be checked from there.` : "";
  return { faults, said: `Lines ${numbered([first])} to ${numbered([to])} were checked: each contains the fingerprint of the one before.${far}` };
}

// A game that was played here with contributed numbers must be in the log.
function noLinesStep({ here, shuffle }) {
  const promised = shuffle.commitments.some((one) => one !== FIRST);
  if (!here || !promised) return open("log", { said: "This site’s log has no entry for this match." });
  return step("log", [{ place: "the log", words: "It has no entry for this game, though it was played here and numbers were contributed." }]);
}

// Compare a match with the log. log: its URL, with a slash at the end. record: what the record says, see
// matchFaults, and whether the game was played `here`.
export async function logStep(log, match, record) {
  const ended = record.seal !== undefined;
  let lines;
  let chain;
  try {
    lines = await linesOf(log, match, ended ? "revealed" : "started");
    if (!lines.length) return noLinesStep(record);
    chain = await chainStep(log, lines);
  } catch {
    return open("log", { said: "The log could not be reached. Reload the page to try again." });
  }
  const faults = [...matchFaults(lines, match, record), ...chain.faults];
  const kinds = lines.map(({ kind }) => kind);
  const facts = { lines };
  if (ended && !kinds.includes("revealed") && !faults.length) {
    return open("log", { ...facts, said: "The log does not show the end of this match yet. Reload the page in a minute." });
  }
  const places = lines.map(({ place }) => place);
  const end = ended ? " It shows the end, with this record’s seal." : "";
  facts.said = `The log has this match in ${places.length === 1 ? "line" : "lines"} ${numbered(places)}.${end} ${chain.said}`;
  if (!kinds.includes("created") && !faults.length) {
    return open("log", { ...facts, said: `${facts.said} It does not show the promise, as the game began before there was a log.` });
  }
  return step("log", faults, facts);
}
