// A part of a page that polls keeps its content when the answer is an error, and polls again: an error
// page, ours or a proxy's while the site restarts, must not be swapped into another page.

document.addEventListener("htmx:after:request", (event) => {
  if (event.detail.ctx.response.status >= 400) event.preventDefault();
});
