// Copy and Share beside a link, see templates/_share.html, and Copy below a text. Style sheets show Share where the browser has it.

const RESULT_SHOWN_FOR = 3000; // ms

document.documentElement.dataset.sharing = navigator.share ? "share" : "copy";

document.addEventListener("click", ({ target }) => {
  const button = target.closest(".share :is([data-copy], [data-share])");
  if (!button) return;
  const box = button.closest(".share");
  const field = box.querySelector("input, textarea");
  const url = field.matches("textarea") ? field.value : new URL(field.value, location.href).href;
  if ("copy" in button.dataset) copy(url, field).then((copied) => showResult(box, button, copied));
  else navigator.share({ title: button.dataset.share, url }).catch(() => {}); // the visitor cancelled
});

// Without HTTPS there is no navigator.clipboard, but the old command still works.
async function copy(url, field) {
  try {
    await navigator.clipboard.writeText(url);
    return true;
  } catch {
    field.select();
    return document.execCommand("copy");
  }
}

function showResult(box, button, copied) {
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
  }, RESULT_SHOWN_FOR);
}
