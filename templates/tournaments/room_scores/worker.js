{# The service worker of score cards: opens the page without a connection. Takes `name` and `files` as JSON. #}
{% autoescape off %}
const KEPT = {{ name }};
const FILES = {{ files }};
const PATIENCE = 4000; // ms, then the kept page is shown
{% endautoescape %}
self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)).then(() => self.skipWaiting()));
});

// Only this version's pages and files stay, so that nothing older is ever shown. Other workers have caches, too.
self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("score ") && name !== KEPT;
  const forget = (names) => Promise.all(names.filter(old).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(forget).then(() => self.clients.claim()).then(keepOpenPages));
});

// A page that was open before there was a worker did not come through it.
async function keepOpenPages() {
  const kept = await caches.open(KEPT);
  const paths = (await self.clients.matchAll({ type: "window" })).map(({ url }) => new URL(url).pathname);
  const tables = new Set(paths.filter((path) => path.startsWith("/t/")));
  await Promise.all([...tables].map(async (path) => {
    const response = await fetch(path).catch(() => null);
    if (response?.ok && !response.redirected && !(await kept.match(path))) await kept.put(path, response);
  }));
}

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method === "GET" && (mode === "navigate" || FILES.includes(new URL(url).pathname))) {
    event.respondWith(answer(event.request));
  }
});

async function answer(request) {
  const kept = await caches.open(KEPT);
  const { pathname, search } = new URL(request.url);
  const known = await kept.match(pathname);
  const late = new Promise((_, fail) => setTimeout(fail, PATIENCE));
  try {
    const response = await (known ? Promise.race([fetch(request), late]) : fetch(request));
    if (known && (response.status === 429 || response.status >= 500)) return known;
    if (request.mode === "navigate") {
      // A page with a query is the form for one hand, or for the final score.
      if (response.ok && !response.redirected && !search) await kept.put(pathname, response.clone());
      else if (gone(response)) await kept.delete(pathname);
    }
    return response;
  } catch {
    return known ?? Response.error();
  }
}

function gone({ redirected, status, type }) {
  return redirected || type === "opaqueredirect" || status === 404 || status === 410;
}
