// A part that asks for itself stays as it is when the answer is an error, and asks again: an error
// page, of ours or of a proxy while the site is started anew, is no part of another page.

document.addEventListener("htmx:after:request", (event) => {
  if (event.detail.ctx.response.status >= 400) event.preventDefault();
});
