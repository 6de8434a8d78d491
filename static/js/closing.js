// Puts when sealed deals open in the reader's own time: "midnight", "7:00 pm".

for (const time of document.querySelectorAll("time[data-closes]")) {
  const at = new Date(time.dateTime);
  const midnight = !at.getHours() && !at.getMinutes();
  time.textContent = midnight ? "midnight" : at.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
}
