// "My table": what somebody chooses on the sheet counts at once and is kept by the server in a
// cookie. Here it is put on the page; style sheets and the other scripts look there.

const chosen = document.documentElement.dataset;
const USUAL = { speed: "normal", confirm: "one", last: "mine", trump: "left" };

// The present value of a choice.
export const choice = (name) => chosen[name] ?? USUAL[name];

const sheet = document.getElementById("mytable");

sheet?.addEventListener("change", ({ target }) => {
  if (target.type !== "radio") return;
  chosen[target.name] = target.value;
  document.dispatchEvent(new CustomEvent("chosen", { detail: target.name }));
});
