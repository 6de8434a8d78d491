// Choosing a partner by typing part of a name: a combobox with a listbox, after the ARIA Authoring
// Practices. htmx loads the list; this script adds its keys. Without it the field is a plain one, and the
// server asks which member is meant.

const room = document.getElementById("event");
const at = (id) => document.getElementById(id);
const options = () => [...(at("partner-list")?.querySelectorAll("[role=option]") ?? [])];
const active = () => options().find((one) => one.getAttribute("aria-selected") === "true");

// Runs again after each swap: the part with the field is replaced when somebody enters.
function setUp() {
  const field = at("partner");
  if (!field || field.getAttribute("role") === "combobox") return;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", "partner-list");
  field.setAttribute("aria-expanded", String(options().length > 0));
}

function say(words) {
  const said = at("partner-said");
  if (said) said.textContent = words;
}

function close() {
  const list = at("partner-list");
  if (list) list.hidden = true;
  at("partner")?.setAttribute("aria-expanded", "false");
  at("partner")?.removeAttribute("aria-activedescendant");
  for (const one of options()) one.setAttribute("aria-selected", "false");
}

function open() {
  at("partner-list").hidden = false;
  at("partner").setAttribute("aria-expanded", "true");
}

function move(to) {
  for (const one of options()) one.setAttribute("aria-selected", String(one === to));
  at("partner").setAttribute("aria-activedescendant", to.id);
  to.scrollIntoView({ block: "nearest" });
}

function choose(option) {
  at("partner").value = option.dataset.name;
  at("partner-chosen").value = option.dataset.player;
  close();
  say(`${option.dataset.name} is chosen.`);
}

room.addEventListener("input", ({ target }) => {
  if (target.id !== "partner") return;
  at("partner-chosen").value = "";
  if (!target.value.trim()) close();
});

room.addEventListener("htmx:after:swap", () => {
  setUp();
  const list = at("partner-list");
  if (!list || list.dataset.announced || document.activeElement !== at("partner")) return;
  list.dataset.announced = "yes";
  const count = options().length;
  if (!count || !at("partner").value.trim()) {
    close();
    say(count ? "" : "No available member has this in their name.");
    return;
  }
  open();
  say(`${count} ${count === 1 ? "member" : "members"} found.`);
});

room.addEventListener("keydown", (event) => {
  if (event.target.id !== "partner" || event.isComposing) return;
  const all = options();
  const here = active();
  const shown = all.length > 0 && !at("partner-list").hidden;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (!all.length) return;
    event.preventDefault();
    open();
    const step = event.key === "ArrowDown" ? 1 : -1;
    const from = here ? all.indexOf(here) : step === 1 ? -1 : 0;
    move(all[(from + step + all.length) % all.length]);
  } else if (event.key === "Enter" && shown && here) {
    event.preventDefault();
    choose(here);
  } else if (event.key === "Escape" && shown) {
    event.preventDefault();
    close();
  } else if (event.key === "Tab" && shown && here) {
    choose(here);
  }
});

// Pressing an option must not take the focus from the field.
room.addEventListener("pointerdown", (event) => {
  if (event.target.closest?.("#partner-list")) event.preventDefault();
});
room.addEventListener("click", (event) => {
  const option = event.target.closest?.("#partner-list [role=option]");
  if (option) {
    choose(option);
    at("partner").focus();
  }
});
room.addEventListener("focusout", (event) => {
  if (event.target.id === "partner") close();
});

setUp();
