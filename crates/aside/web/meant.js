// Whether a click or a key was meant for what it hits. A click counts only on a button that has been in its place for a moment: what grows
// above it must not bring it under the pointer, or under the Enter key. A key that approves has to stand alone: `maybe` has a y.

/** Milliseconds in one place before a click counts. */
const STEADY = 500;
/** Milliseconds after which a button that was taken away is forgotten. */
const AWAY = 60_000;
/** Milliseconds between two looks at the places. */
const LOOK = 50;
/** Milliseconds without another key before one that approves, and after it. */
const BEFORE = 400;
const AFTER = 250;

/** Where each button was seen last, and since when. */
const places = new Map();
let looking;

/** A click on this button counts only once it is steady: `data-steady` says whether it is. */
export function steadies(button) {
  button.dataset.steady = "no";
  places.set(button, { place: "", since: performance.now(), here: performance.now() });
  looking ??= setInterval(look, LOOK);
  return button;
}

export function isSteady(button) {
  look();
  return button.dataset.steady === "yes";
}

function look() {
  const now = performance.now();
  for (const [button, seen] of places) {
    const { left, top, width, height } = button.getBoundingClientRect();
    const isHere = button.isConnected && width > 0 && !document.hidden;
    const place = isHere ? [left, top, width, height].map(Math.round).join() : "";
    if (isHere) seen.here = now;
    if (!isHere || place !== seen.place) Object.assign(seen, { place, since: now });
    button.dataset.steady = now - seen.since >= STEADY ? "yes" : "no";
    // A card may be put somewhere else; one that stays away is over.
    if (!button.isConnected && now - seen.here > AWAY) places.delete(button);
  }
  if (!places.size) looking = clearInterval(looking);
}

let typed = -Infinity;
let pause = Infinity;
let strays;

const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]);
addEventListener("keydown", (event) => {
  if (MODIFIERS.has(event.key)) return;
  [pause, typed] = [event.timeStamp - typed, event.timeStamp];
  strays?.();
}, true);
for (const other of ["pointerdown", "blur"]) addEventListener(other, (event) => { if (other === "pointerdown" || event.target === window) strays?.(); }, true);
document.addEventListener("visibilitychange", () => { for (const seen of places.values()) seen.since = performance.now(); look(); });

/** In a key's handler: does `act` if no other key came before it or comes after it, else `stray`. */
export function alone(act, stray) {
  if (pause < BEFORE) return stray();
  const timer = setTimeout(() => {
    strays = undefined;
    act();
  }, AFTER);
  strays = () => {
    clearTimeout(timer);
    strays = undefined;
    stray();
  };
}
