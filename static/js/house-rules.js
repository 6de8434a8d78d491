// Tells house rules in words as they are chosen; without scripts the page does it at the next press.

const words = () => document.querySelector("#said");
const form = words().closest("form");
let asked = 0;

form.addEventListener("change", async () => {
  const number = ++asked, fields = new FormData(form);
  fields.set(words().dataset.look, "yes");
  const answer = await fetch(form.action, { method: "POST", body: fields }).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  if (number !== asked) return; // something was changed meanwhile
  const told = new DOMParser().parseFromString(text, "text/html");
  for (const old of document.querySelectorAll("#said, [data-said]")) {
    const now = told.getElementById(old.id);
    if (now) old.replaceWith(now);
  }
});
