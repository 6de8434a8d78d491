// Tricks and points of a hand by its rules, as static/bower_verify.py counts them.

import { SEATS } from "./record-form.js";

const RANKS = "789TJQKA";
const OTHER = { C: "S", S: "C", D: "H", H: "D" }; // the suit of the left bower
const isJoker = (card) => card === "Jo" || card === "2S";

// The seat that takes a trick of [seat, card]; trump is a suit, NT (no trump) or LNT (low).
function trickWinner(plays, trump) {
  const suitOf = (card) => (OTHER[trump] && (isJoker(card) || card === `J${OTHER[trump]}`) ? trump : card[1]);
  const led = suitOf(plays[0][1]);
  const strength = (card) => {
    const suit = suitOf(card);
    if (suit !== trump && suit !== led) return 0;
    if (isJoker(card)) return 30;
    const rank = trump === "LNT" ? 8 - RANKS.indexOf(card[0]) : 1 + RANKS.indexOf(card[0]);
    if (suit !== trump) return rank;
    return card[0] === "J" ? 20 + Number(card[1] === trump) : 10 + rank;
  };
  return plays.reduce((best, play) => (strength(play[1]) > strength(best[1]) ? play : best))[0];
}

// The result of a hand that was played, folded or thrown in.
export function resultOf(rules, { maker, trump, alone }, events) {
  const done = (action) => events.some((event) => event.action === action);
  if (maker < 0) {
    return { outcome: done("fold") ? "folded" : "thrown in", makers: null, tricks: [0, 0], side: null, points: 0 };
  }
  const seats = SEATS[rules.players];
  const plays = events.filter(({ seat, action }) => seat && action.startsWith("play ")).map(({ seat, action }) => [seats.indexOf(seat), action.slice(5)]);
  const [makers, defended, tricks] = [maker % 2, done("defend"), [0, 0]];
  const size = Math.max(seats.length - Number(alone) - Number(defended), 1);
  for (let at = 0; at < plays.length; at += size) tricks[trickWinner(plays.slice(at, at + size), trump) % 2] += 1;
  const taken = tricks[makers];
  const won = (outcome, points) => ({ outcome, makers, tricks, side: makers, points });
  if (taken > 2) {
    if (alone) return taken === 5 ? won("lone march", rules.alone_march) : won("alone", rules.alone_made);
    return taken === 5 ? won("march", rules.march) : won("made", rules.made);
  }
  const ofLone = defended ? (rules.lone_defence ?? 4) : rules.alone_euchre;
  const euchre = (alone || defended ? ofLone : null) ?? rules.euchre;
  const skunk = taken === 0 && rules.skunk > euchre;
  return { ...won(skunk ? "skunk" : "euchre", skunk ? rules.skunk : euchre), side: 1 - makers };
}
