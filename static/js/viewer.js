// Shows a match with the replay viewer that its game brings along: games/<slug>/viewer.js exports
// `default function view(element, log, language)`. A page without it still has the transcript. The page of a match
// that is still to be played gets its place for the replay when the result has come.
//
// A long match arrives in parts. A viewer that draws each frame from that frame alone exports `partial = true` and
// gets the log at once, with `load`; the others get it when all parts are there.
async function show(place) {
  place.dataset.shown = "";
  try {
    const [viewer, log] = await Promise.all([import(place.dataset.viewer), fetched(place.dataset.log, "")]);
    const whole = complete(log, place.dataset.log);
    if (!viewer.partial) for (let at = 0; at < log.count; at += log.part) await whole.load(at);
    if (place.dataset.debug) whole.debug = (await fetched(place.dataset.debug, "")).pieces;
    viewer.default(place, whole, document.documentElement.lang);
  } catch (error) {
    console.error(error);
    place.textContent = place.dataset.failed;
  }
}

// The log with its frames and their story at their own numbers, and `load(at)`, which fetches the part with a frame.
function complete(log, address) {
  const whole = { ...log, frames: [], told: [] };
  const put = ({ from, frames, told }) => {
    for (const [number, each] of told.entries()) {
      whole.told[from + number] = each;
      if (number in frames) whole.frames[from + number] = frames[number];
    }
  };
  put(log);
  whole.load = async (at) => {
    if (!(at in whole.told)) put(await fetched(address, `?at=${at}&only=part`));
  };
  return whole;
}

async function fetched(address, query) {
  const answer = await fetch(address + query);
  if (!answer.ok) throw new Error(`log: ${answer.status}`);
  return answer.json();
}

function showAll() {
  for (const place of document.querySelectorAll("[data-viewer]:not([data-shown])")) {
    if ("lazy" in place.dataset) inSight.observe(place);
    else show(place);
  }
}

// A replay that is not what the page is about is loaded when it is scrolled into view, unless data has to be saved.
const inSight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || navigator.connection?.saveData) continue;
    inSight.unobserve(target);
    show(target);
  }
});

showAll();
document.body.addEventListener("htmx:afterSwap", showAll);
