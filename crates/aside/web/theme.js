// Sets light or dark before anything is painted. A separate script, since the page allows none inline.
"use strict";
(() => {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
