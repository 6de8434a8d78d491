// Puts the reader's own time beside a club's, if they are in another time zone.
//
// Pages have all times in the club's zone and on its clock, as its printed sheets do, and stay so:
// `<time data-zone="Europe/Dublin" data-form="long">`, some followed by `<span class="zone">`.
// `data-twelve`: on a 12-hour clock.

const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;

function pieces(moment, zone, width, twelve) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, weekday: width, day: "numeric", month: width, year: "numeric",
    hour: twelve ? "numeric" : "2-digit", minute: "2-digit", hourCycle: twelve ? "h12" : "h23",
  });
  return Object.fromEntries(format.formatToParts(moment).map((part) => [part.type, part.value]));
}

// A moment in a zone: "Thursday 26 November, 7:30 pm".
function words(moment, zone, form, twelve = false) {
  const at = pieces(moment, zone, form === "short" ? "short" : "long", twelve);
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
  const { zone, twelve } = time.dataset;
  const moment = new Date(time.dateTime);
  const inZone = (where, form) => words(moment, where, form, twelve !== undefined);
  const elsewhere = inZone(zone, "long") !== inZone(own, "long");
  if (elsewhere) time.title = `${inZone(own, "long")} where you are`;
  const beside = time.nextElementSibling ?? time.parentElement.nextElementSibling;
  if (!beside?.matches(".zone")) return;
  const sameDay = inZone(zone, "day") === inZone(own, "day");
  set(beside, elsewhere ? ` ${place(zone)} (${inZone(own, sameDay ? "time" : "short")} where you are)` : "");
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
