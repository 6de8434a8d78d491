// The replay without loading the page again: its links fetch the page they lead to and put the
// part that changes in place. Arrow keys, Page Up and Page Down, and a swipe follow the same links.

const place = () => document.getElementById("replay");
const SWIPE = 48; // px
const STEPS = {
  ArrowLeft: "card_back",
  ArrowRight: "card_on",
  "Shift+ArrowLeft": "trick_back",
  "Shift+ArrowRight": "trick_on",
  PageUp: "deal_back",
  PageDown: "deal_on",
};

const waiting = []; // steps asked for and not yet gone
let visit = null; // the fetching of a page; there is never a second

async function read(address, signal) {
  const response = await fetch(address, { headers: { Accept: "text/html" }, signal });
  return new DOMParser().parseFromString(await response.text(), "text/html").getElementById("replay");
}

async function show(address, remember) {
  visit?.abort();
  const mine = new AbortController();
  visit = mine;
  const trouble = document.getElementById("replay-trouble");
  trouble.hidden = true;
  try {
    const fresh = await read(address, mine.signal);
    if (visit !== mine) return;
    if (fresh) put(fresh, address, remember);
    else location.assign(address);
  } catch (error) {
    if (visit !== mine) return;
    if (!(error instanceof TypeError)) throw error;
    waiting.length = 0;
    trouble.hidden = false;
  }
  visit = null;
  go();
}
