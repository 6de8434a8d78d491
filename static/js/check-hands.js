// Whether the hands of a record are those its shuffle gives, and the cards played those it dealt.

import { cardText } from "./card-text.js";
import { bytesOf, dealt, packInOrder, shuffled } from "./euf1.js";
import { SEATS, eventsByDeal } from "./record-form.js";

const LEAST_CUT = 4;
const THROWN_IN = "thrown in";

const cutOf = (event) => (event?.action.startsWith("cut ") ? Number(event.action.slice(4)) : null);
const handName = (hand) => `Hand ${hand.number}`;

// How many cards each seat is given in each round, by the way in which the dealer deals.
const packetsOf = ({ packets, reversed_by: reverses = 0 }, dealer) => (reverses >> dealer & 1 ? [...packets].reverse() : packets);

// All hands of a record in order, each with its events and with the pack and the automatic cut that
// the shuffle gives. `cut` is null where the pack was not cut; `dealt` is null where the cards were
// not dealt, or the pack of the record is no pack.
export async function handsOf(data) {
  const { rules, shuffle, deals } = data;
  const seats = SEATS[rules.players];
  const [secret, mixed] = [bytesOf(shuffle.secret), bytesOf(shuffle.mixed)];
  const proper = String(packInOrder(rules.pack).sort());
  let first = 0;
  const hands = eventsByDeal(data.events).map((told, n) => {
    const events = told.map((event, place) => ({ ...event, place: `events[${first + place}]` }));
    first += told.length;
    const said = deals[n].pack.split(" ");
    const dealer = seats.indexOf(deals[n].dealer);
    const cutting = events.find((event) => cutOf(event) !== null) ?? null;
    const cut = rules.cut ? cutOf(cutting) : 0;
    const complete = String([...said].sort()) === proper;
    const cards = complete && cut !== null ? dealt(said, cut, packetsOf(rules, dealer), dealer, seats.length) : null;
    return { number: n + 1, deal: deals[n], place: `deals[${n}]`, dealer, said, complete, cutting, cut, dealt: cards, events };
  });
  const given = hands.map((_, n) => shuffled(rules.pack, rules.cut, secret, mixed, n));
  return Promise.all(hands.map(async (hand, n) => ({ ...hand, given: await given[n] })));
}

// The packs, the cuts made for the players, the dealers and the numbers of the hands.
export function packFaults(data, hands) {
  const wrong = hands.filter((hand) => String(hand.said) !== String(hand.given.pack));
  const faults =
    wrong.length > 1 && wrong.length === hands.length
      ? [{ place: "deals", words: `None of the ${hands.length} packs is the one that the shuffle gives.` }]
      : wrong.map((hand) => ({ place: `${hand.place}.pack`, words: `${handName(hand)}: the shuffle gives another pack. ${packWords(hand)}` }));
  return [...faults, ...hands.flatMap((hand) => cutFaults(data.rules, hand)), ...dealerFaults(data, hands)];
}

function packWords(hand) {
  if (!hand.complete) return "A card is missing here, or there twice.";
  const at = hand.said.findIndex((card, n) => card !== hand.given.pack[n]);
  return `Card ${at + 1} from the top is ${cardText(hand.given.pack[at])} there and ${cardText(hand.said[at])} here.`;
}

function cutFaults(rules, hand) {
  const { cutting, cut, given, said } = hand;
  if (!rules.cut) {
    return cutting ? [{ place: cutting.place, words: `${handName(hand)}: nobody cuts in this game.` }] : [];
  }
  const [first] = hand.events.filter((event) => event.action !== "next");
  if (!cutting) return first ? [{ place: first.place, words: `${handName(hand)}: the cards were dealt before the cut.` }] : [];
  const faults = [];
  if (first !== cutting) faults.push({ place: cutting.place, words: `${handName(hand)}: the cut comes before all else.` });
  if (cut < LEAST_CUT || cut > said.length - LEAST_CUT) {
    faults.push({ place: cutting.place, words: `${handName(hand)}: at least four cards must lie in each part.` });
  } else if (cutting.by === "clock" && cut !== given.cut) {
    faults.push({ place: cutting.place, words: `${handName(hand)}: the cut made for the player is ${given.cut} cards, not ${cut}.` });
  }
  return faults;
}

function dealerFaults({ rules, shuffle }, hands) {
  const seats = SEATS[rules.players];
  const faults = [];
  let wanted = seats.indexOf(shuffle.first_dealer);
  for (const hand of hands) {
    const { result, number } = hand.deal;
    if (number !== hand.number) faults.push({ place: `${hand.place}.number`, words: `This is hand ${hand.number}, not ${number}.` });
    if (hand.dealer !== wanted) {
      faults.push({ place: `${hand.place}.dealer`, words: `${handName(hand)}: the deal was ${seats[wanted]}’s, not ${hand.deal.dealer}’s.` });
    }
    const stays = result?.outcome === THROWN_IN && (rules.dealer_stays || rules.deals !== null);
    wanted = stays ? hand.dealer : (hand.dealer + 1) % seats.length;
  }
  return faults;
}

// Cards that were played or discarded by a hand that did not hold them.
export function cardFaults(data, hands) {
  const seats = SEATS[data.rules.players];
  return hands.flatMap((hand) => {
    const moved = hand.events.filter((event) => /^(play|discard) /.test(event.action));
    if (!hand.dealt) {
      return moved.slice(0, 1).map(({ place }) => ({ place, words: `${handName(hand)}: a card is played, but none was dealt.` }));
    }
    const held = hand.dealt.hands.map((cards) => new Set(cards));
    if (moved.some((event) => event.action.startsWith("discard "))) held[hand.dealer].add(hand.dealt.turnUp);
    return moved.flatMap(({ place, seat, action }) => {
      const [verb, card] = action.split(" ");
      const holder = verb === "discard" && seats.indexOf(seat) !== hand.dealer ? undefined : held[seats.indexOf(seat)];
      if (holder?.delete(card)) return [];
      return [{ place, words: `${handName(hand)}: ${seat ?? "nobody"} did not hold the ${cardText(card)} that was ${verb === "play" ? "played" : "discarded"}.` }];
    });
  });
}

// How many cards were played and discarded.
export const cardsMoved = (data) => data.events.filter((event) => /^(play|discard) /.test(event.action)).length;

// Points that do not add up.
// The side that a final score lets win; null for a tie, and where the game is not over.
function winnerBy({ rules, deals }, [us, them]) {
  const counted = deals.filter(({ result }) => result && result.outcome !== "thrown in").length;
  const over = rules.target === null ? counted === rules.deals : Math.max(us, them) >= rules.target;
  return !over || us === them ? null : Number(them > us);
}

export function scoreFaults(data) {
  const faults = [];
  let score = [0, 0];
  for (const [n, { result, score: told }] of data.deals.entries()) {
    const points = (side) => (result?.side === side ? result.points : 0);
    score = [score[0] + points(0), score[1] + points(1)];
    if (String(told) !== String(score)) {
      faults.push({ place: `deals[${n}].score`, words: `After hand ${n + 1} the points add up to ${score.join("–")}, not ${told.join("–")}.` });
    }
    score = told;
  }
  if (String(data.result.score) !== String(score)) {
    faults.push({ place: "result.score", words: `The last hand left ${score.join("–")}, not ${data.result.score.join("–")}.` });
  }
  const winner = winnerBy(data, score);
  if (data.game.state === "resigned") {
    if (winner !== null || data.result.winner === null) {
      faults.push({ place: "result.winner", words: "A game is resigned before its end, and the other side wins." });
    }
  } else if (data.result.winner !== winner) {
    const who = winner === null ? "nobody" : `side ${winner}`;
    faults.push({ place: "result.winner", words: `At ${score.join("–")} it is ${who} that has won.` });
  }
  return faults;
}
