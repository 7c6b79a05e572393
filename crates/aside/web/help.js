// The list of keys, and the empty page.

import { clear, h } from "./text.js";

const KEYS = [
  ["Anywhere", [["/ or Ctrl+K", "search"], ["n", "new thread"], ["i", "to the input"], ["j  k", "next, previous request"], ["[  ]", "previous, next thread"], ["a", "to what waits for you"], ["x", "stop what is at work"], ["t", "light, dark, as the system"], ["?", "these keys"], ["Esc", "back"]]],
  ["In the input", [["Enter", "ask"], ["Shift+Enter", "new line"]]],
  ["On what waits for you", [["a, pause, y", "approve: run, or apply"], ["a, pause, n", "reject"], ["a, pause, e", "edit; it is shown again"], ["v", "show all files"], ["s", "unified, side by side"]]],
];

/** What an example request does, by how it begins. */
const COMES = [
  [/^(run|build|start) /, "proposes a command from the project's own scripts; it runs when you approve it"],
  [/^review /, "looks through what differs from the last commit"],
  [/^explain /, "says what the file does"],
  [/^what does this project /, "says what README and manifest tell"],
  [/^status$/, "says what waits, what runs, and which model is set"],
  [/^help$/, "says what can be asked"],
];
/** Examples for a directory without its own. */
const ANYWHERE = ["help", "status"];

export function showKeys(dialog, signOut) {
  const leaves = (all) => () => { dialog.close(); signOut(all); };
  clear(dialog).append(
    h("h2", { id: "help-title" }, "Keys"),
    ...KEYS.map(([where, keys]) => h("section", {}, h("h3", {}, where), h("dl", {}, keys.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)])))),
    h("section", { class: "leave" }, h("h3", {}, "This browser"),
      h("p", {}, "It stays signed in until nobody has had the page open for twelve hours."),
      h("div", { class: "actions" },
        h("button", { type: "button", "data-op": "out", onclick: leaves(false) }, "Sign out"),
        h("button", { type: "button", "data-op": "out-all", onclick: leaves(true) }, "Sign out all browsers"))),
    h("form", { method: "dialog" }, h("button", { autofocus: true, onclick: (event) => { event.preventDefault(); dialog.close(); } }, "Close")));
  dialog.showModal();
}

/** Example requests for this directory, which can be used as they are, and the model. */
export function empty(welcome, take) {
  const examples = welcome?.examples?.length ? welcome.examples : ANYWHERE;
  const comes = (words) => COMES.find(([begins]) => begins.test(words))?.[1] ?? "";
  return h("section", { class: "empty" },
    h("h2", {}, "Ask in plain words"),
    h("p", {}, "Commands and changes are proposed first, whole. Nothing runs and nothing is written until you approve it here or in a terminal."),
    welcome ? h("p", { class: "model" }, ...who(welcome.model)) : undefined,
    h("ul", {}, examples.map((words) => h("li", {}, h("button", { type: "button", class: "example", onclick: () => take(words) }, words), h("span", {}, comes(words))))));
}

function who(model) {
  if (model) return ["Model: ", h("code", {}, model)];
  return ["No model is set: commands, searches, reviews and exact changes work without one. ", h("code", {}, "aside model pull"), " gets one for this machine; ", h("code", {}, "aside config"), " names another."];
}

/** There is no session: only a new link helps. */
export function over(reason) {
  return h("section", { class: "empty over", role: "alert" },
    h("h2", {}, reason),
    h("p", {}, "Run ", h("code", {}, "aside web"), " in a terminal to open it again. What you were writing is kept in this tab."));
}
