// The texts of the page "Verify this match".

import { cardText } from "./card-text.js";
import { hex } from "./digests.js";
import { NOTHING } from "./euf1.js";

const NONE = hex(NOTHING);

const joined = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join());
const counted = (number, one, many) => (number === 1 ? `one ${one}` : `${number} ${many}`);
const cardsText = (cards) => cards.map(cardText).join(" ");
const numberText = (number) => (number === NONE ? "none" : number);

// The sentence for a step. names: the players by seat.
export const SAID = {
  promise: ({ state }) =>
    state === "good"
      ? "Kept: the secret revealed at the end is the one promised before the game."
      : "Broken: the secret does not match the promise.",
  seats: ({ state, facts }, names) => (state === "good" ? whoThrewIn(facts, names) : "What the seats contributed does not match their fingerprints."),
  mix: ({ state }) =>
    state === "good" ? "What the seats contributed and the promise produce this mix." : "What the seats contributed and the promise produce a different mix.",
  dealer: ({ state, facts }, names) =>
    state === "good" ? `${names[facts.seat]} deals first, as the shuffle says.` : "By the shuffle another player deals first.",
  hands: ({ state, facts: { hands } }) =>
    state === "good"
      ? `Shuffled again: ${counted(hands.length, "pack", "packs")}, and every card is where the record has it.`
      : "The record’s packs, cuts or dealers do not match the shuffle.",
  cards: ({ state, facts }) =>
    state === "good"
      ? `Followed from the deal to the table: ${counted(facts.cards, "card", "cards")} in ${counted(facts.hands, "hand", "hands")}. The points add up.`
      : "Cards were played that were not dealt, or the points do not add up.",
  record: ({ state }) =>
    state === "good" ? "Nothing under the seal was altered, and the file is exactly what Bower writes. Names and the title are not sealed." : "The record was altered.",
  log: ({ state, facts }) => (state === "bad" ? "The public log disagrees." : facts.said),
};

// The tables that share their deals have more seats than there are names: those of one table.
const ofAllTables = ({ seats }, names) => seats.length > names.length;

function whoThrewIn(facts, names) {
  const { threwIn, commitments, contributions } = facts;
  if (ofAllTables(facts, names)) {
    const [given, missing] = [true, false].map((wanted) => threwIn.filter((threw, n) => threw === wanted && (wanted || commitments[n] !== NONE)).length);
    const late = missing ? ` ${counted(missing, "promised number is", "promised numbers are")} missing.` : "";
    if (!given) return `Nobody contributed a number.${late} So the cards follow from the server’s secret alone.`;
    return `${given} of the ${threwIn.length} seats at all tables contributed a number, as promised.${late}`;
  }
  const those = (which) => joined(names.filter((_, seat) => which(seat)));
  const late = those((seat) => !threwIn[seat] && commitments[seat] !== NONE && contributions[seat] === NONE);
  const nothing = those((seat) => !threwIn[seat] && commitments[seat] === NONE);
  if (!threwIn.some(Boolean)) {
    const came = late ? ` ${late} promised a number that is missing.` : "";
    return `Nobody contributed a number.${came} So the cards follow from the server’s secret alone.`;
  }
  const sentences = [`${those((seat) => threwIn[seat])} contributed a number, as promised.`];
  if (late) sentences.push(`${late} promised one that is missing.`);
  if (nothing) sentences.push(`${nothing} contributed nothing.`);
  return sentences.join(" ");
}

// About this browser's own number. kept: what it has stored, by seat, see keptOf. seat: the viewer's, or -1.
export function ownWords({ contributions, seats }, kept, seat) {
  const mine = seats.filter((_, n) => kept[n] && kept[n].number === contributions[n]);
  if (mine.length) return `This browser’s own number is in it: ${joined(mine)}.`;
  const own = kept[seat];
  if (!own) return "This browser has no number stored for this match: it did not play in it, or its storage was cleared.";
  if (contributions[seat] !== NONE) {
    return "The number that this browser drew for your seat is not the one in the mix. If you used no other browser, ask the operator why.";
  }
  return own.frozen
    ? "This browser was asked for your seat’s number and sent it, yet it is not in the mix. If your connection was good, ask the operator why."
    : "The number that this browser drew for your seat is not in the mix: this browser was not asked for it while it was connected.";
}

// The values behind a step: lists of { title, rows } with rows of [name, value].
export const VALUES = {
  promise: ({ facts }) => [{ rows: [["Fingerprint of the secret", facts.commitment], ["The secret", facts.secret]] }],
  seats: ({ facts }, names) =>
    facts.seats.map((seat, n) => ({
      title: ofAllTables(facts, names) ? seat : `${seat}, ${names[n]}`,
      rows: [["Fingerprint", numberText(facts.commitments[n])], ["Number", numberText(facts.contributions[n])]],
    })),
  mix: ({ facts }) => [{ rows: [["The mix", facts.mixed]] }],
  dealer: ({ facts }, names) => [{ rows: [["First dealer", `${facts.dealer}, ${names[facts.seat]}`]] }],
  hands: ({ facts }, names) => facts.hands.map((hand) => handValues(hand, names)),
  record: ({ facts: { digests, seal } }) => (seal ? [{ rows: [["The seal", seal], ...digestRows(digests)] }] : []),
  log: ({ facts }) => (facts.lines?.length ? [{ rows: facts.lines.map(({ place, line }) => [`Line ${place}`, line]) }] : []),
};

function handValues({ number, dealer, given, cutting, cut, dealt }, names) {
  const rows = [["Pack, top first", cardsText(given.pack)]];
  if (cutting) rows.push(["Cards lifted off", cutting.by === "clock" ? `${cut}, by the table` : `${cut}`]);
  if (dealt) {
    dealt.hands.forEach((cards, seat) => rows.push([names[seat], cardsText(cards)]));
    rows.push(["Turned up", cardText(dealt.turnUp)]);
  }
  return { title: `Hand ${number}, dealt by ${names[dealer]}`, rows };
}

const digestRows = (digests) =>
  Object.entries(digests).flatMap(([part, found]) =>
    Array.isArray(found) ? found.map((one, n) => [`${part}, hand ${n + 1}`, one]) : [[part, found]],
  );

export function verdictWords(steps, { running }) {
  const faults = steps.flatMap((one) => one.faults);
  if (faults.length) return `Something is wrong in ${counted(faults.length, "place", "places")}.`;
  if (running) return "So far everything fits. The rest can be checked when the game has ended.";
  if (steps.some((one) => one.state === "open")) return "Everything in the record fits, but not all of it could be compared with the public log.";
  return "Everything fits: the cards follow from a secret promised before the game, and no card, call or point was altered since.";
}
