{# The service worker of score cards: opens the page without a connection. Takes `name` and `files` as JSON. #}
{% autoescape off %}
const KEPT = {{ name }};
const FILES = {{ files }};
const PATIENCE = 4000; // ms, then the kept page is shown
{% endautoescape %}
self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)).then(() => self.skipWaiting()));
});

// Only this version's pages and files stay, so that nothing older is ever shown.
self.addEventListener("activate", (event) => {
  const forget = (names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(forget).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method === "GET" && (mode === "navigate" || FILES.includes(new URL(url).pathname))) {
    event.respondWith(answer(event.request));
  }
});

async function answer(request) {
  const kept = await caches.open(KEPT);
  const { pathname } = new URL(request.url);
  const known = await kept.match(pathname);
  const late = new Promise((_, fail) => setTimeout(fail, PATIENCE));
  try {
    const response = await (known ? Promise.race([fetch(request), late]) : fetch(request));
    if (request.mode === "navigate") {
      if (response.ok && !response.redirected) await kept.put(pathname, response.clone());
      else await kept.delete(pathname);
    }
    return response;
  } catch {
    return known ?? Response.error();
  }
}
