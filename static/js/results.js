// Results of a round in one screen: Enter keeps the line, and goes on to the next table without a result.

const form = document.getElementById("results");
const fields = (line) => [...line.querySelectorAll("input:not([type=hidden])")];

form.addEventListener("keydown", (event) => {
  const line = event.target.closest(".res");
  if (!line) return;
  if (event.key === "Escape") {
    for (const field of fields(line)) field.value = "";
    fields(line)[0].focus();
  }
  if (event.key !== "Enter") return;
  event.preventDefault();
  const [first, second] = fields(line);
  if (event.target === first && !second.value) return second.focus();
  keep(line);
});

async function keep(line) {
  const { id } = line;
  const values = { csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value, only: id.replace("res-", "") };
  for (const field of line.querySelectorAll("input")) values[field.name] = field.value;
  await htmx.ajax("POST", form.action, { target: `#${id}`, swap: "outerHTML", values });
  const [wrong] = fields(document.getElementById(id)); // it has fields only if it was not kept
  const lines = [...form.querySelectorAll(".res")];
  const at = lines.findIndex((one) => one.id === id);
  const next = [...lines.slice(at + 1), ...lines.slice(0, at)].find((one) => fields(one).length && !fields(one)[0].value);
  const field = wrong ?? (next && fields(next)[0]) ?? form.querySelector("a.button");
  field?.focus();
  field?.select?.();
}

form.querySelector('.res[data-state="missing"] input')?.focus();
