// The digests of the parts of a game's record, and the seal over them; see docs/records.md.

import { bytesOf, digest, hex, join, text } from "./euf1.js";
import { eventsByDeal } from "./record-form.js";

const PARTS = ["game", "table", "rules", "players", "shuffle", "deals", "events", "result"];
// Names are outside of the seal: they may change later.
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

// Where a part and its digest differ: the place of both, and what can be said of them.
function altered(part, number, kept, right) {
  const entry = number === undefined ? "" : `[${number}]`;
  const place = part === "events" ? `events of hand ${number + 1}` : `${part}${entry}`;
  const ofDigest = `digests.${part}${entry}`;
  if (SEALED.includes(part) && kept) return { place, words: "This was altered: the sealed digest of it is another." };
  if (SEALED.includes(part) && right) return { place: ofDigest, words: "This digest was altered: it is not the one that was sealed." };
  return { place: `${place} or ${ofDigest}`, words: "One of these was altered: they do not fit together." };
}

// What of a record does not fit its digests and its seal.
export async function sealFaults(data) {
  const [told, found] = [data.digests, await digestsOf(data)];
  const [kept, right] = [(await sealOver(told)) === data.seal, (await sealOver(found)) === data.seal];
  const faults = [];
  for (const part of PARTS) {
    const entries = Array.isArray(found[part]) ? found[part].keys() : [undefined];
    for (const number of entries) {
      const [one, other] = number === undefined ? [told[part], found[part]] : [told[part][number], found[part][number]];
      if (one !== other) faults.push(altered(part, number, kept, right));
    }
  }
  if (!kept && !(right && faults.length)) {
    faults.push({ place: "seal", words: "This is not the seal over the parts of this record." });
  }
  return faults;
}
