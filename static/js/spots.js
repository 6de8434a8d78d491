// Binds values to elements. Each bound element ("spot") names its value: its text (data-text), attributes
// (data-set), visibility (data-show), rows (data-each, with the template that a row names, else the one in
// data-with), and the card or suit it draws (data-face, data-word-of, data-pip). A row that remains keeps its
// element, so that focus and animations go on. games/picture/page.py renders a whole page by the same rules.

const SPOTS = "[data-text], [data-set], [data-show], [data-each], [data-face], [data-word-of], [data-pip]";
const SUITS = { c: "Clubs", d: "Diamonds", h: "Hearts", s: "Spades" };
const { drawings } = document.querySelector("[data-drawings]").dataset;

const use = (href, attributes = "") => `<svg${attributes}><use href="${href}"/></svg>`;

// The HTML inside a card, or inside its name in the log.
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

// The rows of a value: none for nothing, n empty ones for a number n.
function rowsOf(value) {
  if (value === undefined || value === null || value === false) return [];
  if (typeof value === "number") return Array(value).fill({});
  return Array.isArray(value) ? value.map(asRow) : [{ text: value }];
}

// In the log, arrays stand for people, cards and suits.
function asRow(row) {
  if (!Array.isArray(row)) return row;
  const [first, text] = row;
  if (typeof first === "number") return { as: "person", seat: first, text };
  return row.length === 1 ? { as: "word", word: first } : { as: "suit", letter: first, text };
}

// Identifies a row across updates: a card by its name, others by their key, else by their content.
const keyOf = (row) => (typeof row === "string" ? row : `${row.as} ${row.card ?? row.key ?? JSON.stringify(row)}`);

// Rows with unique keys; equal rows are numbered.
function keyed(rows) {
  const count = {};
  return rows.map((row) => {
    const key = keyOf(row);
    count[key] = (count[key] ?? 0) + 1;
    return [`${key} ${count[key]}`, row];
  });
}

function newRow(row, template) {
  if (typeof row === "string") return document.createTextNode(row);
  const element = document.importNode(document.getElementById(`row-${row.as ?? template}`).content.firstElementChild, true);
  fillAll(element, row, {});
  return element;
}

function updateRows(spot, value, before) {
  const known = new Map(keyed(rowsOf(before)).map(([key, row], at) => [key, [row, spot.childNodes[at]]]));
  const nodes = keyed(rowsOf(value)).map(([key, row]) => {
    const [old, node] = known.get(key) ?? [];
    if (!node) return newRow(row, spot.dataset.with);
    if (old !== row && typeof row !== "string") fillAll(node, row, old);
    return node;
  });
  const kept = new Set(nodes);
  for (const node of [...spot.childNodes]) if (!kept.has(node)) node.remove();
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

// Update one spot. before: the previous values.
function fill(spot, from, before) {
  const { text, set, show, each, face, wordOf, pip } = spot.dataset;
  if (set) setAttributes(spot, from);
  if (show) spot.toggleAttribute("hidden", (rowsOf(from[show.replace("!", "")]).length > 0) === show.startsWith("!"));
  if (text) {
    const words = String(from[text] ?? "");
    if (spot.textContent !== words) spot.textContent = words;
  }
  if (each) updateRows(spot, from[each], before[each]);
  if (face) draw(spot, from[face], false);
  if (wordOf) draw(spot, from[wordOf], true);
  if (pip) drawPip(spot, from[pip]);
}

// The spots inside an element, except those in rows of its lists, which have their own values.
function spotsOf(root) {
  const inRows = (spot) => {
    const list = spot.parentElement?.closest("[data-each]");
    return list && root.contains(list);
  };
  return [...root.querySelectorAll(SPOTS)].filter((spot) => !inRows(spot));
}

function fillAll(root, row, before) {
  const below = root.dataset.each ? [] : spotsOf(root);
  for (const spot of [root, ...below]) fill(spot, row, before);
}

// The page's spots by the names of their values.
const byName = new Map();

for (const spot of spotsOf(document.documentElement)) {
  const { text, set, show, each, pip } = spot.dataset;
  const names = [text, show?.replace("!", ""), each, pip, ...(set ?? "").split(" ").map((one) => one.split(/[:=]/)[1])];
  for (const name of new Set(names.filter(Boolean))) byName.set(name, [...(byName.get(name) ?? []), spot]);
}

// Update the spots of the named values. before: all previous values.
export function fillSpots(names, values, before) {
  const spots = new Set(names.flatMap((name) => byName.get(name) ?? []));
  for (const spot of spots) fill(spot, values, before);
}
