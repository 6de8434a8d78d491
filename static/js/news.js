// Parts of an event's page that are each viewer's own ask for themselves when there is news, at a
// moment of their own within the seconds that the server names: a full room must not ask at once.

export function askAtNews(room) {
  let loaded = room.dataset.version; // no news to a page that has just been loaded
  let asked = 0; // when it asked last
  let timer = 0;
  room.addEventListener("htmx:before:ws:message", (event) => {
    const { news, version } = event.detail.message.json ?? {};
    if (news === undefined) return;
    if (version !== loaded) timer ||= setTimeout(ask, wait(1000 * news));
    loaded = "";
  });

  // Somewhere within the time; where news does not end, pages ask once in that time on average.
  function wait(most) {
    return Math.max(0, asked + most / 2 - Date.now()) + most * Math.random();
  }

  function ask() {
    timer = 0;
    asked = Date.now();
    for (const one of room.querySelectorAll('[hx-trigger^="news"]')) htmx.trigger(one, "news");
  }
}
