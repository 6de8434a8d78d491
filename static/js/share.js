// Copy and Share beside a link; see templates/_share.html. Style sheets show what the browser can do.

const DONE_FOR = 3000;

document.documentElement.dataset.sharing = navigator.share ? "share" : "copy";

document.addEventListener("click", ({ target }) => {
  const button = target.closest(".share :is([data-copy], [data-share])");
  if (!button) return;
  const box = button.closest(".share");
  const field = box.querySelector("input");
  const url = new URL(field.value, location.href).href;
  if ("copy" in button.dataset) copy(url, field).then((copied) => tell(box, button, copied));
  else navigator.share({ title: button.dataset.share, url }).catch(() => {}); // closed again
});

// Without https a browser has no clipboard for scripts, but still the old command.
async function copy(url, field) {
  try {
    await navigator.clipboard.writeText(url);
    return true;
  } catch {
    field.select();
    return document.execCommand("copy");
  }
}

function tell(box, button, copied) {
  const words = copied ? "Copied" : "Copy it by hand";
  box.querySelector("[role=status]").textContent = words;
  const label = button.querySelector(".label");
  const use = button.querySelector("use");
  const icon = use.getAttribute("href");
  if (label.textContent !== "Copy") return;
  label.textContent = words;
  if (copied) use.setAttribute("href", icon.replace(/#.*/, "#i-check"));
  setTimeout(() => {
    label.textContent = "Copy";
    use.setAttribute("href", icon);
  }, DONE_FOR);
}
