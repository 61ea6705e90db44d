// Shows a match with the replay viewer that its game brings along: games/<slug>/viewer.js exports
// `default function view(element, log, language)`. A page without it still has the transcript. The page of a match
// that is still to be played gets its place for the replay when the result has come.
//
// A match that is being played is followed (data-live): the log grows every PAUSE ms, and `log.grown` brings the player
// up to it. When it is over, or is played again, the element fires `changed`, and the page fetches this part of itself
// anew. The player that is drawn then goes on where the reader was. An element that fills the screen would no longer do so
// if another one took its place: it becomes the replay itself, and the page fetches the rest once the full screen is left.
//
// A long match arrives in parts. A viewer that draws each frame from that frame alone exports `partial = true` and
// gets the log at once, with `load`; the others get it when all parts are there.
const PAUSE = 1000; // milliseconds
const PATIENCE = 20_000; // the same, for an answer
let left = null; // where the reader was in the player that was replaced

async function show(place) {
  place.dataset.shown = "";
  try {
    if (place.dataset.live) return await follow(place);
    const [viewer, log] = await Promise.all([import(place.dataset.viewer), fetched(place.dataset.log, "")]);
    const whole = complete(log, place.dataset.log);
    if (!viewer.partial) for (let at = 0; at < log.count; at += log.part) await whole.load(at);
    if (place.dataset.debug) whole.debug = (await fetched(place.dataset.debug, "")).pieces;
    whole.start = left;
    viewer.default(place, whole, document.documentElement.lang);
    left = null;
  } catch (error) {
    console.error(error);
    const root = place.shadowRoot ?? place;
    root.textContent = place.dataset.failed;
    const again = Object.assign(document.createElement("button"), { type: "button", className: "button quiet compact" });
    again.textContent = document.getElementById("trouble")?.dataset.again ?? "↻";
    again.addEventListener("click", () => {
      root.textContent = "";
      show(place);
    });
    root.append(" ", again);
  }
  place.dataset.drawn = "";
}

async function follow(place) {
  const viewer = await import(place.dataset.viewer);
  let log = null;
  while (place.isConnected && place.dataset.live) {
    if (!document.hidden) {
      const asked = log ? `?attempt=${log.attempt}&from=${log.frames.length}` : "";
      const answer = await fetch(place.dataset.live + asked, patience()).catch(() => null);
      report(answer); // and ask again: it may be a poor connection
      if (answer?.status === 404) throw new Error("live: no longer for this reader");
      const news = answer?.ok ? await answer.json() : null;
      if (news && (news.state !== "running" || (log && news.attempt !== log.attempt))) {
        place.dispatchEvent(new CustomEvent("changed"));
        return;
      }
      if (news?.frames?.length) log = grow(place, viewer, log, news);
    }
    await new Promise((resume) => setTimeout(resume, PAUSE));
  }
}

// Asked again it is anyway.
function report(answer) {
  document.dispatchEvent(new CustomEvent("agon:settled", { detail: { status: answer?.status, retry: () => {} } }));
}

const patience = () => ({ signal: AbortSignal.timeout(PATIENCE) });

// The log with the news in it. A viewer that does not use the player (player.js) draws all of it anew.
function grow(place, viewer, log, news) {
  const frames = [...(log?.frames ?? []), ...news.frames];
  const told = [...(log?.told ?? []), ...news.told];
  const grown = Object.assign(log ?? { live: true }, { ...news, frames, told });
  if (grown.grown) grown.grown();
  else viewer.default(place, grown, document.documentElement.lang);
  return grown;
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
  const answer = await fetch(address + query, patience());
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

document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const place = detail.target.querySelector("[data-live], [data-stays]");
  if (place?.player) left = place.player();
  const fills = place && place === document.fullscreenElement;
  if (fills && detail.shouldSwap && becomesReplay(place, detail.serverResponse)) detail.shouldSwap = false;
});

document.addEventListener("fullscreenchange", ({ target }) => {
  if (target.dataset?.stays && !document.fullscreenElement) target.dispatchEvent(new CustomEvent("changed"));
});

// Whether the element shows the replay of this HTML, if it has one.
function becomesReplay(place, html) {
  const replay = new DOMParser().parseFromString(html, "text/html").querySelector("[data-log]");
  if (!replay || place.dataset.stays) return Boolean(replay);
  delete place.dataset.live;
  Object.assign(place.dataset, replay.dataset, { stays: "yes" });
  show(place);
  return true;
}

showAll();
document.body.addEventListener("htmx:afterSwap", showAll);
