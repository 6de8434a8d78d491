// The digests of the parts of a game's record, and the seal over them; see docs/records.md.

import { bytesOf, digest, hex, join, text } from "./digests.js";
import { eventsByDeal } from "./record-form.js";

const PARTS = ["game", "table", "rules", "players", "shuffle", "deals", "events", "result"];
// Names are not sealed, since they may change later.
const SEALED = ["game", "rules", "shuffle", "deals", "events", "result"];

const digestOf = async (part, value) => hex(await digest(`EUF1.record.${part}`, text(JSON.stringify(value))));

async function digestsOf(data) {
  const lists = { deals: data.deals, events: eventsByDeal(data.events) };
  const digests = {};
  for (const part of PARTS) {
    const entries = lists[part]?.map((entry) => digestOf(part, entry));
    digests[part] = entries ? await Promise.all(entries) : await digestOf(part, data[part]);
  }
  return digests;
}

const sealOver = async (digests) =>
  hex(await digest("EUF1.record", join(...SEALED.flatMap((part) => digests[part]).map(bytesOf))));

// The fault for a part that does not match its digest. digestsIntact: the seal matches the digests in
// the record; partsIntact: it matches digests computed from the parts.
function mismatch(part, number, digestsIntact, partsIntact) {
  const entry = number === undefined ? "" : `[${number}]`;
  const place = part === "events" ? `events of hand ${number + 1}` : `${part}${entry}`;
  const ofDigest = `digests.${part}${entry}`;
  if (SEALED.includes(part) && digestsIntact) return { place, words: "This was altered: it does not match its sealed digest." };
  if (SEALED.includes(part) && partsIntact) return { place: ofDigest, words: "This digest was altered: it is not the one that was sealed." };
  return { place: `${place} or ${ofDigest}`, words: "One of these was altered: they do not match." };
}

// Where a record does not match its digests and its seal.
export async function sealFaults(data) {
  const [stated, computed] = [data.digests, await digestsOf(data)];
  const [digestsIntact, partsIntact] = [(await sealOver(stated)) === data.seal, (await sealOver(computed)) === data.seal];
  const faults = [];
  for (const part of PARTS) {
    const entries = Array.isArray(computed[part]) ? computed[part].keys() : [undefined];
    for (const number of entries) {
      const [one, other] = number === undefined ? [stated[part], computed[part]] : [stated[part][number], computed[part][number]];
      if (one !== other) faults.push(mismatch(part, number, digestsIntact, partsIntact));
    }
  }
  if (!digestsIntact && !(partsIntact && faults.length)) {
    faults.push({ place: "seal", words: "This seal does not match the record." });
  }
  return faults;
}
