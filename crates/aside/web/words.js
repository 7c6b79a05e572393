// Runs where the page is gone: shows the drafts of this tab, to be copied.
"use strict";
(() => {
  const drafts = Object.keys(sessionStorage).filter((name) => name.startsWith("draft.") && sessionStorage.getItem(name));
  if (!drafts.length) return;
  const title = document.createElement("h2");
  title.textContent = "What you were writing here";
  document.body.append(title);
  for (const name of drafts) {
    const text = document.createElement("textarea");
    text.value = sessionStorage.getItem(name);
    text.readOnly = true;
    text.rows = 4;
    text.cols = 60;
    text.setAttribute("aria-label", "What you were writing here");
    document.body.append(text);
  }
})();
