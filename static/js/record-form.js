// The schema of Bower's game record, version 2, documented in docs/records.md. A fault is
// { place, words }: where something is wrong, and what.

export const SEATS = { 2: ["North", "South"], 4: ["North", "East", "South", "West"] };

const OUTCOMES = ["made", "march", "alone", "lone march", "euchre", "skunk", "thrown in", "folded"];
const CARD = "(?:[789TJQKA][CDHS]|Jo|2S)";
const ACTION = [
  "pass|next|cut [0-9]{1,2}|order(?: alone)?|make (?:[CDHS]|L?NT)(?: alone)?|name [CDHS]",
  `decline|fold|defend|(?:discard|give|best|play) ${CARD}|swap ${CARD} ${CARD} ${CARD}`,
].join("|");

// Validators: each takes a value and its place, and adds what is wrong to the faults.

export const shown = (value) => {
  if (value !== null && typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
};

const must = (test, words) => (value, place, faults) => {
  if (!test(value)) faults.push({ place, words: `This must be ${words}, not ${shown(value)}.` });
};

const written = (pattern, words) => {
  const whole = new RegExp(`^(?:${pattern})$`);
  return must((value) => typeof value === "string" && whole.test(value), words);
};
const text = (most) => must((value) => typeof value === "string" && [...value].length <= most, `a text of at most ${most} characters`);
const whole = (least, most) =>
  must((value) => Number.isInteger(value) && value >= least && value <= most, `a whole number from ${least} to ${most}`);
const truth = must((value) => typeof value === "boolean", "true or false");
const oneOf = (...values) => must((value) => values.includes(value), values.map(shown).join(" or "));
const orNull = (kind) => (value, place, faults) => value === null || kind(value, place, faults);
const number32 = written("[0-9a-f]{64}", "64 hexadecimal digits");
const time = written("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z", "a time such as 2026-11-19T20:23:05.000000Z");

const list = (kind, least, most) => (value, place, faults) => {
  if (!Array.isArray(value)) faults.push({ place, words: `This must be a list, not ${shown(value)}.` });
  else if (value.length < least || value.length > most) {
    const wanted = least === most ? least : `${least} to ${most}`;
    faults.push({ place, words: `This list must have ${wanted} entries, not ${value.length}.` });
  } else value.forEach((entry, n) => kind(entry, `${place}[${n}]`, faults));
};

// A key that is left out when it does not apply.
const optional = (kind) => Object.assign((...checked) => kind(...checked), { optional: true });

const object = (kinds) => (value, place, faults) => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    faults.push({ place: place || "the file", words: `This must be an object, not ${shown(value)}.` });
    return;
  }
  const [wanted, found] = [Object.keys(kinds), Object.keys(value)];
  const inside = (key) => (place ? `${place}.${key}` : key);
  const unknown = found.filter((key) => !(key in kinds));
  const missing = wanted.filter((key) => !(key in value) && !kinds[key].optional);
  const present = wanted.filter((key) => key in value);
  for (const key of unknown) faults.push({ place: inside(key.slice(0, 40)), words: "A record has no such key." });
  for (const key of missing) faults.push({ place: inside(key), words: "This key is missing." });
  if (!unknown.length && !missing.length && String(present) !== String(found)) {
    faults.push({ place: place || "the file", words: `The keys must be in this order: ${present.join(", ")}.` });
  }
  for (const key of present) kinds[key](value[key], inside(key), faults);
};

const points = whole(1, 10);
const score = list(whole(0, 1000), 2, 2);
const side = orNull(oneOf(0, 1));
const seat = oneOf(...SEATS[4]);

const result = object({
  outcome: oneOf(...OUTCOMES),
  makers: side,
  tricks: list(whole(0, 5), 2, 2),
  side,
  points: whole(0, 10),
});

const id = written("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a game’s id");
// The most tables that can share their deals.
const TABLES = 63;
const flagsForm = (value, place, faults) =>
  typeof value === "string" ? written("(?:[0-9a-f]{2}){2,32}", "hexadecimal digits")(value, place, faults) : whole(0, 255)(value, place, faults);

const record = object({
  format: oneOf("Bower game record"),
  version: oneOf(2),
  game: object({
    id,
    number: whole(1, 1_000_000),
    state: oneOf("over", "abandoned", "resigned"),
    started: time,
    ended: time,
  }),
  table: object({ title: text(150) }),
  rules: object({
    key: text(40),
    name: text(40),
    players: oneOf(4, 2),
    pack: oneOf(24, 25, 28, 29, 32, 33),
    cut: truth,
    packets: list(whole(1, 5), 1, 5),
    stick_the_dealer: truth,
    alone: truth,
    dealer_stays: truth,
    joker_turned_up: oneOf("dealer_names", "dealer_makes"),
    lay_down: truth,
    made: points,
    march: points,
    alone_made: whole(0, 10),
    alone_march: points,
    euchre: points,
    skunk: points,
    target: orNull(whole(1, 50)),
    deals: orNull(whole(1, 100)),
    packets_by_dealer: optional(oneOf(true)),
    calls: optional(oneOf("pick_up")),
    reversed_by: optional(whole(1, 15)),
    stuck_after: optional(whole(1, 3)),
    thrown_in_counts: optional(oneOf(true)),
    old_words: optional(oneOf(true)),
    no_trump: optional(oneOf("high", "high_or_low")),
    defend_alone: optional(oneOf(true)),
    alone_euchre: optional(points),
    lone_defence: optional(oneOf(1, 2, 3, 5, 6, 7, 8, 9, 10)),
    partners_best: optional(oneOf(true)),
    dealers_partner_alone: optional(oneOf(true)),
    own_trump: optional(oneOf(true)),
    no_lone_near_end: optional(oneOf(true)),
    lone_lead: optional(oneOf("makers_left", "maker")),
    farmers_hand: optional(oneOf(true)),
    fold: optional(oneOf("no_face", "no_face_or_suit")),
    benny: optional(oneOf(true)),
  }),
  players: list(object({ seat, name: text(100), kind: oneOf("person", "house", "program") }), 2, 4),
  shuffle: object({
    method: oneOf("EUF1"),
    match: optional(id),
    table: optional(whole(1, TABLES)),
    commitment: number32,
    commitments: list(number32, 2, 4 * TABLES),
    contributions: list(number32, 2, 4 * TABLES),
    flags: flagsForm,
    mixed: number32,
    secret: number32,
    first_dealer: seat,
  }),
  deals: list(
    object({
      number: whole(1, 10_000),
      dealer: seat,
      pack: written(`${CARD}(?: ${CARD})*`, "the cards of a pack, one space between them"),
      result: orNull(result),
      score,
    }),
    1,
    10_000,
  ),
  events: list(
    object({ at: time, seat: orNull(seat), by: oneOf("person", "house", "clock"), action: written(ACTION, "an action") }),
    0,
    10_000,
  ),
  result: object({ score, winner: side }),
  digests: object({
    game: number32,
    table: number32,
    rules: number32,
    players: number32,
    shuffle: number32,
    deals: list(number32, 1, 10_000),
    events: list(number32, 1, 10_000),
    result: number32,
  }),
  seal: number32,
});

// The events by deal; `next` deals a hand and is the first of its events.
export function eventsByDeal(events) {
  const deals = [[]];
  for (const event of events) {
    if (event.action === "next") deals.push([]);
    deals.at(-1).push(event);
  }
  return deals;
}

// What must be consistent between the parts before anything can be computed from them.
function checkAgreement(data, faults) {
  const { rules, players, shuffle, deals, events, digests } = data;
  const seats = SEATS[rules.players];
  const wants = (place, found, wanted) => {
    if (found !== wanted) faults.push({ place, words: `There are ${found} here; by the rest of the record it should be ${wanted}.` });
  };
  wants("players", players.length, seats.length);
  const tables = shuffle.match ? Math.ceil(shuffle.commitments.length / seats.length) : 1;
  wants("shuffle.commitments", shuffle.commitments.length, seats.length * tables);
  wants("shuffle.contributions", shuffle.contributions.length, seats.length * tables);
  if (Boolean(shuffle.match) !== Boolean(shuffle.table) || shuffle.table > tables) {
    faults.push({ place: "shuffle.table", words: "This is not one of the tables that share the shuffle." });
  }
  const { length } = shuffle.commitments;
  const fits = length > 8 ? shuffle.flags.length === 2 * Math.ceil(length / 8) : shuffle.flags < 2 ** length;
  if (!fits) faults.push({ place: "shuffle.flags", words: "This is not a flag for each seat." });
  wants("rules.packets", rules.packets.reduce((sum, size) => sum + size, 0), 5);
  const { reversed_by: reverses = 0 } = rules;
  if (reverses && (!rules.packets_by_dealer || reverses >> rules.players)) {
    faults.push({ place: "rules.reversed_by", words: "Under these rules that seat may not reverse the packets." });
  }
  const hands = {
    deals: deals.length,
    events: eventsByDeal(events).length,
    "digests.deals": digests.deals.length,
    "digests.events": digests.events.length,
  };
  for (const [place, found] of Object.entries(hands)) wants(place, found, mostCommon(Object.values(hands)));
  const checkSeat = (place, named) => {
    if (named !== null && !seats.includes(named)) faults.push({ place, words: `There is no ${named} at a table for two.` });
  };
  players.forEach((player, n) => {
    if (player.seat !== seats[n]) faults.push({ place: `players[${n}].seat`, words: `This must be ${seats[n] ?? "left out"}.` });
  });
  checkSeat("shuffle.first_dealer", shuffle.first_dealer);
  deals.forEach((deal, n) => checkSeat(`deals[${n}].dealer`, deal.dealer));
  events.forEach((event, n) => checkSeat(`events[${n}].seat`, event.seat));
}

function mostCommon(numbers) {
  const times = (wanted) => numbers.filter((number) => number === wanted).length;
  return numbers.reduce((best, number) => (times(number) > times(best) ? number : best));
}

// All faults that keep data from being a valid record.
export function schemaFaults(data) {
  const faults = [];
  record(data, "", faults);
  if (!faults.length) checkAgreement(data, faults);
  return faults;
}
