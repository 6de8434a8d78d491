// Sentences from what happened: games/picture/wording.py has the phrases and the same rules.

const { phrases, trumps } = JSON.parse(document.getElementById("wording").textContent);
let who, trump; // the players' names by seat, and the suit's letter

const say = (phrase, ...words) => phrases[phrase].replace(/\{(\d)\}/g, (_, at) => words[at]);

function face(card) {
  const role = trumps[trump]?.[card];
  const row = { card, label: role ? say(role, phrases[card]) : phrases[card] };
  if (role && role !== "trump") row.bower = role;
  return row;
}

function spot(played, seat) {
  const [card, ...roles] = played.split(" ");
  const row = face(card);
  const led = roles[0] === "led";
  row.label = say(led ? "led" : "", row.label, who[seat]);
  for (const role of roles.slice(led ? 1 : 0)) row.label = say(role, row.label);
  row.class = ["card", ...roles.map((role) => (role === "won" ? "winning" : role))].join(" ");
  return row;
}

function line(row) {
  if (!Array.isArray(row)) return row;
  const [seat, ...card] = row;
  const person = [seat, who[seat]];
  if (card.length) return { words: [person, " ", card], is: "play" };
  return { words: [person, phrases.wins], is: "won", side: seat % 2 };
}

function lastTrick([number, winner, ...plays]) {
  if (winner === undefined) return { last: [], "last.title": phrases["last none"] };
  const last = plays.map(([seat, card], at) => {
    const phrase = `last${at ? "" : " led"}${seat === winner ? " won" : ""}`;
    const row = { ...face(card), caption: phrase === "last" ? who[seat] : say(phrase, who[seat]) };
    return seat === winner ? { ...row, won: "won" } : row;
  });
  return { last, "last.title": say("last", phrases[number], who[winner]) };
}

function inHand(card, taken) {
  if (typeof card !== "string") return card;
  const row = face(card);
  const [code, giver] = taken?.split(" ") ?? [];
  if (card !== code) return row;
  const tip = phrases.tip.split("|")[giver ? 1 : 0].replace("{0}", who[giver]);
  return { ...row, label: say(giver ? "given" : "taken", row.label, who[giver]), taken: tip };
}

// The values of a page as they are shown.
export function read(values) {
  ({ who, trump } = values);
  const shown = { ...values };
  who.forEach((_, seat) => {
    const played = values[`spot.${seat}`];
    shown[`spot.${seat}`] = played ? [spot(played, seat)] : [];
    const held = values[`held.${seat}`];
    const cards = phrases.cards.split("|")[held];
    shown[`cards.${seat}`] = held && values[`out.${seat}`] ? say("down", cards) : cards;
  });
  shown["log.deal"] = values["log.deal"].map(line);
  if (typeof values.line === "number") shown.line = say("turn", who[values.line]);
  if (values.trick) {
    const [number, what, seat] = values.trick;
    shown.trick = say(`trick ${what}`, phrases[number], who[seat]);
  }
  shown.hand = values.hand.map((card) => inHand(card, values["hand.taken"]));
  return Object.assign(shown, lastTrick(values.last));
}

// The news of a frame, as it is read out.
export function news(said) {
  if (!Array.isArray(said)) return said;
  const [seat, card, taker] = said;
  return say(taker === undefined ? "plays" : "takes", who[seat], face(card).label, who[taker]);
}
