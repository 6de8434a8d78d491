// Converts club times to the reader's time zone, with the club's time beside them.
//
// Pages are rendered in the club's zone: `<time data-zone="Europe/Dublin" data-form="long">`, some
// followed by `<span class="zone">`. Times use a 12-hour clock if the browser's language does.

const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions().hourCycle;
const twelve = clock === "h11" || clock === "h12";

function pieces(moment, zone, width) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, weekday: width, day: "numeric", month: width, year: "numeric",
    hour: twelve ? "numeric" : "2-digit", minute: "2-digit", hourCycle: twelve ? "h12" : "h23",
  });
  return Object.fromEntries(format.formatToParts(moment).map((part) => [part.type, part.value]));
}

// A moment in a zone: "Thursday 26 November, 7:30 pm".
export function words(moment, zone, form) {
  const at = pieces(moment, zone, form === "short" ? "short" : "long");
  const day = `${at.weekday} ${at.day} ${at.month}`;
  const time = `${at.hour}:${at.minute}${at.dayPeriod ? ` ${at.dayPeriod.toLowerCase()}` : ""}`;
  return { day, time, date: `${at.day} ${at.month} ${at.year}` }[form] ?? `${day}, ${time}`;
}

function place(zone) {
  return zone === "UTC" ? "UTC" : `${zone.split("/").slice(1).join(", ").replaceAll("_", " ")} time`;
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function show(time) {
  const { zone, form } = time.dataset;
  const moment = new Date(time.dateTime);
  const elsewhere = words(moment, zone, "long") !== words(moment, own, "long");
  set(time, words(moment, own, form));
  if (elsewhere) time.title = `${words(moment, zone, "long")} ${place(zone)}`;
  const beside = time.nextElementSibling ?? time.parentElement.nextElementSibling;
  if (!beside?.matches(".zone")) return;
  const sameDay = words(moment, zone, "day") === words(moment, own, "day");
  const there = words(moment, zone, sameDay ? "time" : "short");
  set(beside, elsewhere ? ` (${there} ${place(zone)})` : "");
  beside.dataset.shown = "";
}

function showAll() {
  for (const time of document.querySelectorAll("time[data-zone]")) {
    try {
      show(time);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // the browser does not know this zone
    }
  }
}

// The option of a select that is the browser's own zone, perhaps under another name.
function ownOption(select) {
  const canonical = (zone) => {
    try {
      return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
    } catch {
      return "";
    }
  };
  const options = [...select.options].filter((option) => option.value);
  return options.find((option) => option.value === own) ?? options.find((option) => canonical(option.value) === own);
}

showAll();
new MutationObserver(showAll).observe(document.body, { childList: true, subtree: true, characterData: true });
const select = document.querySelector("select[data-own-zone]");
if (select && !select.value) {
  const option = ownOption(select);
  if (option) select.value = option.value;
}
