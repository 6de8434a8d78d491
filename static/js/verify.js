// The page "Verify this match": recomputes everything and shows the results. The record comes from this
// site or from a file that the visitor chooses. A game still being played has no record yet: it is checked
// from what the public log has published.

import { able } from "./digests.js";
import { checkRecord, checkContributions, matchOf, shownFaults, step } from "./check-record.js";
import { MAX_BYTES } from "./record-file.js";
import { linesOf, logStep } from "./log-step.js";
import { keptOf } from "./throw-in.js";
import { SAID, VALUES, ownWords, verdictWords } from "./verify-words.js";

const page = document.getElementById("verify");
const { log } = page.dataset;
const MAX_FAULTS = 12; // listed at the top; the steps list all

let work = Promise.resolve(); // runs checks one after another

function element(tag, ...children) {
  const created = document.createElement(tag);
  created.append(...children);
  return created;
}

function showFaults(list, faults) {
  list.hidden = !faults.length;
  list.replaceChildren(...faults.map(({ place, words }) => element("li", element("b", place), element("br"), words)));
}

function showVerdict(state, words, faults = []) {
  const verdict = document.getElementById("verdict");
  verdict.dataset.state = state;
  document.getElementById("verdict-words").textContent = words;
  const more = faults.length - MAX_FAULTS;
  const named = more > 0 ? [...faults.slice(0, MAX_FAULTS), { place: `${more} more`, words: "They are listed under their steps." }] : faults;
  showFaults(document.getElementById("verdict-places"), named);
}

const itemOf = (name) => page.querySelector(`[data-step="${name}"]`);

function showStep(one, names, note = "") {
  const item = itemOf(one.name);
  item.dataset.state = one.state;
  item.querySelector(".said").textContent = `${SAID[one.name](one, names) ?? ""} ${note}`.trim();
  showFaults(item.querySelector(".faults"), one.faults);
  const values = VALUES[one.name]?.(one, names) ?? [];
  if (!values.length) return;
  item.querySelector("details").hidden = false;
  item.querySelector(".values").replaceChildren(
    ...values.flatMap(({ title, rows }) => [
      ...(title ? [element("h4", title)] : []),
      element("dl", ...rows.flatMap(([name, value]) => [element("dt", name), element("dd", value)])),
    ]),
  );
}

function clear() {
  for (const item of page.querySelectorAll("[data-step]")) {
    item.dataset.state = "open";
    item.querySelector(".said").textContent = "";
    item.querySelector("details").hidden = true;
    showFaults(item.querySelector(".faults"), []);
  }
}

// For the step "seats", add what this browser has stored of the shuffle: [step, note].
function withOwnNumber(one, shuffle) {
  if (one.name !== "seats") return [one, ""];
  const kept = one.facts.seats.map((_, seat) => keptOf(shuffle, seat));
  const faults = [...one.faults, ...shownFaults(one.facts, kept)];
  return [step("seats", faults, one.facts), ownWords(one.facts, kept, Number(page.dataset.seat))];
}

// shuffle: the id under which it was promised, by which the browser has stored its number.
function show(found, shuffle, names, running = false) {
  const own = found.map((one) => withOwnNumber(one, shuffle));
  for (const [one, note] of own) showStep(one, names, note);
  const steps = own.map(([one]) => one);
  const faults = steps.flatMap((one) => one.faults);
  const complete = !running && steps.every((one) => one.state === "good");
  showVerdict(faults.length ? "bad" : complete ? "good" : "open", verdictWords(steps, { running }), faults);
}

async function checkBytes(bytes, match) {
  const { data, steps } = await checkRecord(bytes);
  if (!data) {
    showStep(steps[0], []);
    showVerdict("bad", "This cannot be checked: it is not a record as Bower writes it.", steps[0].faults);
    return;
  }
  const names = data.players.map(({ name }) => name);
  if (match && data.game.id !== match) {
    showVerdict("bad", "This is the record of another match.", [{ place: "game.id", words: `The record says ${data.game.id}.` }]);
    return;
  }
  const record = { shuffle: data.shuffle, state: data.game.state, seal: data.seal, here: Boolean(match) };
  show([...steps, await logStep(log, data.game.id, record)], matchOf(data), names);
}

async function checkGame(address, match) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} from ${address}`);
  await checkBytes(new Uint8Array(await response.arrayBuffer()), match);
}

async function checkRunning(match, promised) {
  const lines = await linesOf(log, match, "started");
  const [created, started] = ["created", "started"].map((kind) => lines.find((line) => line.kind === kind));
  if (!created || !started) {
    const soon = "Reload the page in a minute.";
    const when = promised === match ? soon : `If this is a daily deal, it tells it when the day has closed. ${soon}`;
    showVerdict("open", `The public log does not show the start of this game yet. ${when}`);
    return;
  }
  const shuffle = { ...started, commitment: created.commitment, match: promised === match ? undefined : promised };
  const names = JSON.parse(page.dataset.names);
  const steps = [...(await checkContributions(promised, shuffle)), await logStep(log, match, { shuffle })];
  show(steps, promised, names, true);
}

async function checkFile(file) {
  clear();
  if (file.size > MAX_BYTES) {
    const words = `A record has at most ${MAX_BYTES.toLocaleString("en")} bytes; this file has ${file.size.toLocaleString("en")}.`;
    showVerdict("bad", "This cannot be checked: it is too large to be a record.", [{ place: file.name, words }]);
    return;
  }
  await checkBytes(new Uint8Array(await file.arrayBuffer()));
}

// Run a check. If the check itself fails, that says nothing about the match.
async function attempt(checking) {
  showVerdict("open", "Checking…");
  try {
    await checking();
  } catch (error) {
    console.error(error);
    showVerdict("open", "The check could not be finished. Reload the page, or use the script.");
  }
}

function begin({ match, shuffle, record }) {
  const input = document.getElementById("file");
  if (!able) {
    if (input) input.disabled = true;
    showVerdict("open", "This browser can only check on pages that are loaded over HTTPS. Use the script instead, or open this page over HTTPS.");
  } else if (input) {
    showVerdict("open", "Choose a record, and it is checked here.");
    input.addEventListener("change", () => {
      const [file] = input.files;
      if (file) work = work.then(() => attempt(() => checkFile(file)));
    });
  } else {
    attempt(() => (record ? checkGame(record, match) : checkRunning(match, shuffle)));
  }
}

begin(page.dataset);
