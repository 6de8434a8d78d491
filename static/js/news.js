// The viewer's own parts of an event's page are fetched again when the socket announces news. Each page
// waits for a random part of the seconds that the server sets, so that they do not all ask at once.

export function refreshOnNews(room) {
  let loaded = room.dataset.version; // the version that the page was loaded with needs no refresh
  let lastRefresh = 0;
  let timer = 0;
  room.addEventListener("htmx:before:ws:message", (event) => {
    const { news, version } = event.detail.message.json ?? {};
    if (news === undefined) return;
    if (version !== loaded) timer ||= setTimeout(refresh, delay(1000 * news));
    loaded = "";
  });

  // A random delay of at most `longest` ms, or so much longer that under a steady stream of news a page
  // refreshes once in that time on average.
  function delay(longest) {
    return Math.max(0, lastRefresh + longest / 2 - Date.now()) + longest * Math.random();
  }

  function refresh() {
    timer = 0;
    lastRefresh = Date.now();
    for (const one of room.querySelectorAll('[hx-trigger^="news"]')) htmx.trigger(one, "news");
  }
}
