// Recomputes a game's record in steps and reports the result of each. A step is
// { name, state, faults, facts }: state is "good", "bad", or "open" if it could not be checked; facts are
// the values that the page shows.

import { bytesOf, commitSeat, hex, matchBytes } from "./digests.js";
import { commit, firstDealer, flaggedSeats, isFlagged, mix } from "./euf1.js";
import { cardFaults, cardsMoved, handsOf, packFaults, resultFaults, scoreFaults } from "./check-hands.js";
import { readRecord } from "./record-file.js";
import { SEATS } from "./record-form.js";
import { sealFaults } from "./sealing.js";

const NONE = "0".repeat(64);

// The id under which a shuffle was promised: the game's own, unless several tables share their deals.
export const matchOf = ({ game, shuffle }) => shuffle.match ?? game.id;

// The names of all seats of a shuffle. Tables that share their deals have four each, in their order.
function seatNames(count) {
  if (SEATS[count]) return SEATS[count];
  return Array.from({ length: count }, (_, seat) => `Table ${Math.floor(seat / 4) + 1}, ${SEATS[4][seat % 4]}`);
}

export const step = (name, faults, facts = {}) => ({ name, state: faults.length ? "bad" : "good", faults, facts });
export const open = (name, facts = {}) => ({ name, state: "open", faults: [], facts });

// Check the bytes of a file: { data, steps }; data is null if the file cannot be read.
export async function checkRecord(bytes) {
  const { data, whole, faults } = readRecord(bytes);
  if (!whole) return { data: null, steps: [step("record", faults)] };
  const hands = await handsOf(data);
  return {
    data,
    steps: [
      await checkPromise(data),
      ...(await checkMix(data)),
      await checkDealer(data),
      step("hands", packFaults(data, hands), { hands }),
      step("cards", [...cardFaults(data, hands), ...resultFaults(data, hands), ...scoreFaults(data)], { cards: cardsMoved(data), hands: hands.length }),
      step("record", [...faults, ...(await sealFaults(data))], { digests: data.digests, seal: data.seal }),
    ],
  };
}

async function checkPromise(data) {
  const { shuffle } = data;
  const kept = hex(await commit(matchBytes(matchOf(data)), bytesOf(shuffle.secret))) === shuffle.commitment;
  const words = "The secret revealed at the end is not the one promised before the game.";
  return step("promise", kept ? [] : [{ place: "shuffle.commitment or shuffle.secret", words }], shuffle);
}

// Check the seats' numbers and the mix, from what is published when a game starts. `shuffle` is as in a
// record, `match` the id under which it was promised.
export async function checkContributions(match, shuffle) {
  const mid = matchBytes(match);
  const commitment = bytesOf(shuffle.commitment);
  const commitments = shuffle.commitments.map(bytesOf);
  const numbers = shuffle.contributions.map(bytesOf);
  const seats = seatNames(commitments.length);
  const faults = [];
  for (const [seat, number] of numbers.entries()) {
    const [revealed, promise] = [shuffle.contributions[seat], shuffle.commitments[seat]];
    const fits = hex(await commitSeat(mid, commitment, seat, number)) === promise;
    const flagged = isFlagged(shuffle.flags, seat);
    if (revealed !== NONE && !fits) {
      faults.push({ place: `shuffle.contributions[${seat}]`, words: `${seats[seat]}’s number is not the one promised.` });
    } else if (flagged === fits) {
      const words = fits ? `${seats[seat]} contributed a number, but the record says otherwise.` : `${seats[seat]} contributed nothing, but the record says otherwise.`;
      faults.push({ place: "shuffle.flags", words });
    }
  }
  const flagged = await flaggedSeats(mid, commitment, commitments, numbers);
  const mixed = hex(await mix(mid, commitment, commitments, numbers));
  const wrong = mixed === shuffle.mixed ? [] : [{ place: "shuffle.mixed", words: "These numbers do not produce this mix." }];
  const threwIn = flagged.map((missing) => !missing);
  return [step("seats", faults, { ...shuffle, seats, threwIn }), step("mix", wrong, shuffle)];
}

// Commitments that differ from those shown to this browser before it revealed its number. kept: what
// it has stored, by seat, see keptOf.
export function shownFaults({ commitments, seats }, kept) {
  const shown = kept.find((one) => one?.frozen)?.frozen;
  if (!shown) return [];
  return commitments.flatMap((published, seat) => {
    if (published === (shown[seat] === "-" ? NONE : shown[seat])) return [];
    const words = `${seats[seat]} had a different fingerprint when this browser saw them all, before it revealed its number.`;
    return [{ place: `shuffle.commitments[${seat}]`, words }];
  });
}

const checkMix = (data) => checkContributions(matchOf(data), data.shuffle);

async function checkDealer({ rules, shuffle }) {
  const seat = await firstDealer(bytesOf(shuffle.secret), bytesOf(shuffle.mixed), rules.players);
  const dealer = SEATS[rules.players][seat];
  const words = `By the shuffle ${dealer} deals first, not ${shuffle.first_dealer}.`;
  return step("dealer", dealer === shuffle.first_dealer ? [] : [{ place: "shuffle.first_dealer", words }], { dealer, seat });
}
