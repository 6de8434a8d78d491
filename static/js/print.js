// The button of a sheet to print.

const button = document.getElementById("print");
button.hidden = false;
button.addEventListener("click", () => print());
