// Passkeys, beside allauth's scripts: shows buttons where the browser can use them, and says what failed.

const able = "PublicKeyCredential" in window; // not without HTTPS
const failed = document.getElementById("passkey_failed");

function say(words) {
  failed.firstElementChild.textContent = words;
  failed.hidden = false;
}

for (const part of document.querySelectorAll("[data-passkey]")) {
  if (able) part.hidden = false;
  else if (part.dataset.passkey) say(part.dataset.passkey);
}

for (const button of document.querySelectorAll("[data-webauthn]")) {
  const act = button.dataset.webauthn;
  const ids = { [act]: button.id, credential: button.form.elements.credential.id, data: "js_data" };
  window.allauth.webauthn.forms[`${act}Form`]({ ids });
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const { name } = event.detail.exception;
  if (name === "InvalidStateError") say("This device already keeps a passkey for you here.");
  else if (name === "NotAllowedError") say("Nothing was chosen. Try again, or use another way in.");
  else say("That did not work. Try again, or use another way in.");
});
