// Puts values in their places on a page. Each spot names its value: what it reads (data-text), which
// attributes it has (data-set), whether it is there (data-show), its rows (data-each, by the template
// that a row names, else the one in data-with), and which card or suit it draws (data-face,
// data-word-of, data-pip). A row that stays keeps its element: a focus or a flight goes on.
// games/picture/page.py draws a whole page by the same rules.

const SPOTS = "[data-text], [data-set], [data-show], [data-each], [data-face], [data-word-of], [data-pip]";
const SUITS = { c: "Clubs", d: "Diamonds", h: "Hearts", s: "Spades" };
const { drawings } = document.querySelector("[data-drawings]").dataset;

const use = (what, more = "") => `<svg${more}><use href="${what}"/></svg>`;

// The inside of a card, or of its name in the log.
export function inside(card, asWord) {
  const joker = card === "Jo";
  if (joker && asWord) return "Joker";
  const rank = joker ? "★" : card[0] === "T" ? "10" : card[0];
  const suit = card[1].toLowerCase();
  const pip = `#suit-${suit}`;
  if (asWord) return `${rank}${use(pip, ' aria-hidden="true"')}<span class="unseen"> of ${SUITS[suit]}</span>`;
  const corner = `<span class="index${rank === "10" ? " ten" : ""}" data-corner="${rank}">${joker ? "" : use(pip)}</span>`;
  const face = `${drawings}#face-${joker ? "J" : rank}${suit}`;
  return corner + use(face, ' class="face" viewBox="0 0 100 140"') + corner + use(joker ? "#star" : pip, ' class="sole"');
}

// Nothing has no rows, a number n has n empty ones.
function rowsOf(value) {
  if (value === undefined || value === null || value === false) return [];
  if (typeof value === "number") return Array(value).fill({});
  return Array.isArray(value) ? value.map(asRow) : [{ text: value }];
}

// A word of the log is a person, a card or a suit.
function asRow(row) {
  if (!Array.isArray(row)) return row;
  const [first, text] = row;
  if (typeof first === "number") return { as: "person", seat: first, text };
  return row.length === 1 ? { as: "word", word: first } : { as: "suit", letter: first, text };
}

// A card is the same row however it is described, and so is one with a key of its own.
const keyOf = (row) => (typeof row === "string" ? row : `${row.as} ${row.card ?? row.key ?? JSON.stringify(row)}`);

// Rows with their keys, which tell rows that are alike apart by their order.
function keyed(rows) {
  const count = {};
  return rows.map((row) => {
    const key = keyOf(row);
    count[key] = (count[key] ?? 0) + 1;
    return [`${key} ${count[key]}`, row];
  });
}

function newRow(row, usual) {
  if (typeof row === "string") return document.createTextNode(row);
  const made = document.importNode(document.getElementById(`row-${row.as ?? usual}`).content.firstElementChild, true);
  place(made, row, {});
  return made;
}

function putRows(spot, value, before) {
  const known = new Map(keyed(rowsOf(before)).map(([key, row], at) => [key, [row, spot.childNodes[at]]]));
  const nodes = keyed(rowsOf(value)).map(([key, row]) => {
    const [old, node] = known.get(key) ?? [];
    if (!node) return newRow(row, spot.dataset.with);
    if (old !== row && typeof row !== "string") place(node, row, old);
    return node;
  });
  const stay = new Set(nodes);
  for (const node of [...spot.childNodes]) if (!stay.has(node)) node.remove();
  nodes.forEach((node, at) => { if (spot.childNodes[at] !== node) spot.insertBefore(node, spot.childNodes[at] ?? null); });
}

function setAttributes(spot, from) {
  for (const one of spot.dataset.set.split(" ")) {
    const [attribute, name, fixed] = one.split(/[:=]/);
    const value = from[name];
    if (value === undefined || value === null || value === false) spot.removeAttribute(attribute);
    else spot.setAttribute(attribute, fixed ?? (value === true ? "" : value));
  }
}

function draw(spot, card, asWord) {
  if (!card || spot.dataset[asWord ? "word" : "card"] === card) return;
  spot.dataset[asWord ? "word" : "card"] = card;
  spot.dataset.suit = card[1].toLowerCase();
  for (const one of spot.querySelectorAll(":scope > :is(.index, .face, .sole)")) one.remove();
  spot.insertAdjacentHTML("afterbegin", inside(card, asWord));
}

function drawPip(spot, letter) {
  const drawn = spot.querySelector("use");
  if (letter) {
    spot.dataset.suit = letter;
    drawn.setAttribute("href", `#suit-${letter}`);
  } else {
    delete spot.dataset.suit;
    drawn.removeAttribute("href");
  }
}

// Put values in one spot; before: what they were.
function fill(spot, from, before) {
  const { text, set, show, each, face, wordOf, pip } = spot.dataset;
  if (set) setAttributes(spot, from);
  if (show) spot.toggleAttribute("hidden", (rowsOf(from[show.replace("!", "")]).length > 0) === show.startsWith("!"));
  if (text) {
    const words = String(from[text] ?? "");
    if (spot.textContent !== words) spot.textContent = words;
  }
  if (each) putRows(spot, from[each], before[each]);
  if (face) draw(spot, from[face], false);
  if (wordOf) draw(spot, from[wordOf], true);
  if (pip) drawPip(spot, from[pip]);
}

// The spots below an element, without those in the rows of its lists, which have values of their own.
function spotsOf(root) {
  const inRows = (spot) => {
    const list = spot.parentElement?.closest("[data-each]");
    return list && root.contains(list);
  };
  return [...root.querySelectorAll(SPOTS)].filter((spot) => !inRows(spot));
}

function place(root, row, before) {
  const below = root.dataset.each ? [] : spotsOf(root);
  for (const spot of [root, ...below]) fill(spot, row, before);
}

// The spots of the page by the names of their values.
const byName = new Map();

for (const spot of spotsOf(document.documentElement)) {
  const { text, set, show, each, pip } = spot.dataset;
  const names = [text, show?.replace("!", ""), each, pip, ...(set ?? "").split(" ").map((one) => one.split(/[:=]/)[1])];
  for (const name of new Set(names.filter(Boolean))) byName.set(name, [...(byName.get(name) ?? []), spot]);
}

// Fill the spots of some values by name; before: all values as they were.
export function fillSpots(names, values, before) {
  const spots = new Set(names.flatMap((name) => byName.get(name) ?? []));
  for (const spot of spots) fill(spot, values, before);
}
