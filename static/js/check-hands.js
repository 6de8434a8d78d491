// Checks that a record's hands follow from its shuffle and that the cards played are those dealt.

import { cardText } from "./card-text.js";
import { bytesOf } from "./digests.js";
import { dealt, packInOrder, shuffled } from "./euf1.js";
import { SEATS, eventsByDeal } from "./record-form.js";
import { resultOf } from "./trick-rules.js";

const MIN_CUT = 4;

const cutOf = (event) => (event?.action.startsWith("cut ") ? Number(event.action.slice(4)) : null);
const handName = (hand) => `Hand ${hand.number}`;

// The packets that the dealer deals to each seat; some dealers deal them in reverse order.
const packetsOf = ({ packets, reversed_by: reverses = 0 }, dealer) => (reverses >> dealer & 1 ? [...packets].reverse() : packets);

// All hands of a record in order, each with its events and `given`, the pack and the automatic cut that
// follow from the shuffle. `cut` is null if the pack should have been cut but was not; `dealt` is null if the
// cards were not dealt or the record's pack is not a complete one.
export async function handsOf(data) {
  const { rules, shuffle, deals } = data;
  const seats = SEATS[rules.players];
  const [secret, mixed] = [bytesOf(shuffle.secret), bytesOf(shuffle.mixed)];
  const sortedPack = String(packInOrder(rules).sort());
  let first = 0;
  const hands = eventsByDeal(data.events).map((recorded, n) => {
    const events = recorded.map((event, place) => ({ ...event, place: `events[${first + place}]` }));
    first += recorded.length;
    const pack = deals[n].pack.split(" ");
    const dealer = seats.indexOf(deals[n].dealer);
    const cutting = events.find((event) => cutOf(event) !== null) ?? null;
    const cut = rules.cut ? cutOf(cutting) : 0;
    const complete = String([...pack].sort()) === sortedPack;
    const cards = complete && cut !== null ? dealt(pack, cut, packetsOf(rules, dealer), dealer, seats.length) : null;
    return { number: n + 1, deal: deals[n], place: `deals[${n}]`, dealer, pack, complete, cutting, cut, dealt: cards, events };
  });
  const given = hands.map((_, n) => shuffled(rules, secret, mixed, n));
  return Promise.all(hands.map(async (hand, n) => ({ ...hand, given: await given[n] })));
}

// Faults of packs, automatic cuts, dealers and hand numbers.
export function packFaults(data, hands) {
  const wrong = hands.filter((hand) => String(hand.pack) !== String(hand.given.pack));
  const faults =
    wrong.length > 1 && wrong.length === hands.length
      ? [{ place: "deals", words: `None of the ${hands.length} packs matches the shuffle.` }]
      : wrong.map((hand) => ({ place: `${hand.place}.pack`, words: `${handName(hand)}: the pack does not match the shuffle. ${packWords(hand)}` }));
  return [...faults, ...hands.flatMap((hand) => cutFaults(data.rules, hand)), ...dealerFaults(data, hands)];
}

function packWords(hand) {
  if (!hand.complete) return "A card is missing or appears twice.";
  const at = hand.pack.findIndex((card, n) => card !== hand.given.pack[n]);
  return `Card ${at + 1} from the top should be ${cardText(hand.given.pack[at])}, not ${cardText(hand.pack[at])}.`;
}

function cutFaults(rules, hand) {
  const { cutting, cut, given, pack } = hand;
  if (!rules.cut) {
    return cutting ? [{ place: cutting.place, words: `${handName(hand)}: there is no cut in this game.` }] : [];
  }
  const [first] = hand.events.filter((event) => event.action !== "next");
  if (!cutting) return first ? [{ place: first.place, words: `${handName(hand)}: the cards were dealt before the cut.` }] : [];
  const faults = [];
  if (first !== cutting) faults.push({ place: cutting.place, words: `${handName(hand)}: the cut must come first.` });
  if (cut < MIN_CUT || cut > pack.length - MIN_CUT) {
    faults.push({ place: cutting.place, words: `${handName(hand)}: the cut must leave at least four cards in each part.` });
  } else if (cutting.by === "clock" && cut !== given.cut) {
    faults.push({ place: cutting.place, words: `${handName(hand)}: the automatic cut is ${given.cut} cards, not ${cut}.` });
  }
  return faults;
}

function dealerFaults({ rules, shuffle }, hands) {
  const seats = SEATS[rules.players];
  const faults = [];
  let expected = seats.indexOf(shuffle.first_dealer);
  for (const hand of hands) {
    const { result, number } = hand.deal;
    if (number !== hand.number) faults.push({ place: `${hand.place}.number`, words: `This is hand ${hand.number}, not ${number}.` });
    if (hand.dealer !== expected) {
      faults.push({ place: `${hand.place}.dealer`, words: `${handName(hand)}: ${seats[expected]} should have dealt, not ${hand.deal.dealer}.` });
    }
    const mayStay = rules.dealer_stays || rules.deals !== null;
    const stays = !rules.thrown_in_counts && (result?.outcome === "folded" || (result?.outcome === "thrown in" && mayStay));
    expected = stays ? hand.dealer : (hand.dealer + 1) % seats.length;
  }
  return faults;
}

// Who made trump (a seat, -1 for nobody), what is trump, and whether the maker plays alone.
function contractOf(rules, hand) {
  let [maker, trump, alone] = [-1, hand.dealt.turnUp[1], false];
  for (const { seat, action } of hand.events) {
    const [verb, ...words] = action.split(" ");
    if (verb === "name" && rules.joker_turned_up === "dealer_makes") maker = hand.dealer;
    if (verb === "order" || verb === "make") [maker, alone] = [SEATS[rules.players].indexOf(seat), words.at(-1) === "alone"];
    if (verb === "fold") maker = -1; // the dealer who named the joker's suit makes trump only after it
    if (verb === "name" || verb === "make") [trump] = words;
  }
  return { maker, trump, alone };
}

const MOVES = { play: "played", discard: "discarded", swap: "swapped", give: "given away", best: "given to the maker" };
const moves = ({ action }) => action.split(" ")[0] in MOVES;

// Cards played or put away by a seat that did not hold them.
export function cardFaults(data, hands) {
  const seats = SEATS[data.rules.players];
  return hands.flatMap((hand) => {
    const moved = hand.events.filter(moves);
    if (!hand.dealt) {
      return moved.slice(0, 1).map(({ place }) => ({ place, words: `${handName(hand)}: a card was played, but none were dealt.` }));
    }
    const { hands, turnUp, kitty } = hand.dealt;
    const { maker } = contractOf(data.rules, hand);
    const held = hands.map((cards) => new Set(cards));
    const movers = { discard: hand.dealer, give: maker, best: maker < 0 ? -1 : (maker + 2) % seats.length };
    let [taken, under] = [[turnUp], kitty];
    const add = (seat, cards) => cards.forEach((card) => held[seat].add(card));
    return moved.flatMap(({ place, seat: name, action }) => {
      const [verb, ...cards] = action.split(" ");
      const seat = seats.indexOf(name);
      if (verb === "discard") {
        add(hand.dealer, taken);
        taken = [];
      }
      if (seat < 0 || seat !== (movers[verb] ?? seat) || new Set(cards).size < cards.length || !cards.every((card) => held[seat].has(card))) {
        const which = cards.map((card) => `the ${cardText(card)}`).join(", ");
        const were = cards.length > 1 ? "were" : "was";
        return [{ place, words: `${handName(hand)}: ${name ?? "nobody"} did not hold ${which} that ${were} ${MOVES[verb]}.` }];
      }
      cards.forEach((card) => held[seat].delete(card));
      if (verb === "swap") {
        add(seat, under);
        under = [];
      }
      if (verb === "best") add(maker, cards);
      return [];
    });
  });
}

// Results that do not follow from the cards played, by the rules.
export function resultFaults({ rules }, hands) {
  return hands.flatMap(({ events, deal: { result }, dealt: cards, place, dealer, number }) => {
    if (!cards || !result) return [];
    const right = resultOf(rules, contractOf(rules, { events, dealt: cards, dealer }), events);
    const wrong = Object.keys(right).filter((key) => String(result[key]) !== String(right[key]));
    return wrong.map((key) => ({ place: `${place}.result.${key}`, words: `Hand ${number}: by the cards played this is ${right[key]}.` }));
  });
}

// The number of cards played and put away.
export const cardsMoved = (data) => data.events.filter(moves).length;

// The side that has won at a score; null for a tie, and before the game is over.
function winnerBy({ rules, deals }, [us, them]) {
  const scored = deals.filter(({ result }) => result && (rules.thrown_in_counts || result.makers !== null)).length;
  const over = rules.target === null ? scored === rules.deals : Math.max(us, them) >= rules.target;
  return !over || us === them ? null : Number(them > us);
}

// Faults of the points, the score and the winner.
export function scoreFaults(data) {
  const faults = [];
  let score = [0, 0];
  for (const [n, { result, score: recorded }] of data.deals.entries()) {
    const points = (side) => (result?.side === side ? result.points : 0);
    score = [score[0] + points(0), score[1] + points(1)];
    if (String(recorded) !== String(score)) {
      faults.push({ place: `deals[${n}].score`, words: `After hand ${n + 1} the points add up to ${score.join("–")}, not ${recorded.join("–")}.` });
    }
    score = recorded;
  }
  if (String(data.result.score) !== String(score)) {
    faults.push({ place: "result.score", words: `After the last hand the score was ${score.join("–")}, not ${data.result.score.join("–")}.` });
  }
  const winner = winnerBy(data, score);
  if (data.game.state === "resigned") {
    if (winner !== null || data.result.winner === null) {
      faults.push({ place: "result.winner", words: "A side resigns before the game is over, and the other side wins." });
    }
  } else if (data.result.winner !== winner) {
    const who = winner === null ? "nobody" : `side ${winner}`;
    faults.push({ place: "result.winner", words: `At ${score.join("–")} ${who} has won.` });
  }
  return faults;
}
