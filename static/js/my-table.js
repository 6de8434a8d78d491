// "My table": the viewer's preferences. Each takes effect at once, as a data attribute of the root that
// style sheets and the other scripts read; the server keeps it in a cookie.

const chosen = document.documentElement.dataset;
const DEFAULTS = { speed: "normal", confirm: "one", last: "mine", trump: "left" };

export const choice = (name) => chosen[name] ?? DEFAULTS[name];

const sheet = document.getElementById("mytable");

sheet?.addEventListener("change", ({ target }) => {
  if (target.type !== "radio") return;
  chosen[target.name] = target.value;
  document.dispatchEvent(new CustomEvent("chosen", { detail: target.name }));
  // The words of the calls are the server's, so the page is loaded anew once it has kept the choice.
  if (target.name === "calls") sheet.addEventListener("htmx:after:request", () => location.reload(), { once: true });
});
