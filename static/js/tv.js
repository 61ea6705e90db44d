// The full-screen page that plays one match after the other (agon.site.web.tournaments.tv_views).
//
// What is on it names the address of what comes next. That is asked for REST ms after a match has ended, or when nothing
// has moved for STILL ms: a replay that failed, a reader who wants less motion, a site without a match to show. A request
// that failed is sent again; failures.js says so.
const REST = 6000; // milliseconds
const STILL = 60_000;
const WIDE = 960; // pixels: the board is beside the match
const NARROWEST = 900; // pixels that are left of the width when all is larger
const ZOOMS = [2, 1.75, 1.5, 1.25, 1, 0.85, 0.7, 0.6];

let due = 0;

function later(pause) {
  clearTimeout(due);
  due = setTimeout(next, pause);
}

function next() {
  later(STILL);
  if (!document.hidden) window.htmx.trigger("#screen", "next");
}

// All of it is seen at once, as large as that goes; later steps may need more room than the first. A phone scrolls.
function fit() {
  const size = `${innerWidth}x${innerHeight}`;
  const { dataset } = document.getElementById("screen");
  const main = document.querySelector("main"); // not what htmx swaps: it would copy a style that the policy forbids
  const most = dataset.size === size ? Number(main.style.zoom) : Infinity;
  const isWhole = () => main.getBoundingClientRect().bottom <= innerHeight;
  if (most < Infinity && isWhole()) return;
  dataset.size = size;
  for (const zoom of innerWidth < WIDE ? [1] : ZOOMS) {
    if (zoom >= most || (zoom > 1 && innerWidth / zoom < NARROWEST)) continue;
    main.style.zoom = zoom;
    if (isWhole()) return;
  }
}

document.addEventListener("step", ({ detail: { ended } }) => {
  queueMicrotask(fit); // viewer.js takes the outline away once the first step is drawn
  later(ended ? REST : STILL);
}, true);

// A wall does not fall asleep.
function stayAwake() {
  if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
}

const full = document.getElementById("full");
full.hidden = !document.fullscreenEnabled;
full.addEventListener("click", () => document.documentElement.requestFullscreen());
document.addEventListener("fullscreenchange", () => (full.hidden = Boolean(document.fullscreenElement)));
document.addEventListener("visibilitychange", stayAwake);

stayAwake();
later(STILL);
