// A replay in another site's frame reports to that site where it is.
//
// Messages to the parent page: { source: "agon", match, type: "step", step, last } whenever the step changes, and the
// same with type "ended" when the last one of a match that is over is reached. All of it is public, so any parent may
// have it.
//
// A match that is not over is followed, or waited for. When that has changed, the page is loaded again.

const PAUSE = 5000; // milliseconds
const END = 999999999; // the frame that an address asks for to be at the last one

const replay = document.querySelector("[data-match]");
const waits = document.querySelector("[data-waits]");

replay?.addEventListener("step", ({ detail: { step, last, ended } }) => {
  const message = { source: "agon", match: Number(replay.dataset.match), step, last };
  parent.postMessage({ ...message, type: "step" }, "*");
  if (ended) parent.postMessage({ ...message, type: "ended" }, "*");
});

// The replay goes on where the reader was.
replay?.addEventListener("changed", () => {
  const was = replay.player?.();
  if (was) history.replaceState(null, "", `#frame=${was.follows ? END : was.at}`);
  location.reload();
});

async function wait({ dataset: { waits: address, state } }) {
  for (;;) {
    await new Promise((resume) => setTimeout(resume, PAUSE));
    if (document.hidden) continue;
    const answer = await fetch(address, { signal: AbortSignal.timeout(20_000) }).catch(() => null); // a poor connection: ask again
    if (answer?.status === 404 || (answer?.ok && (await answer.json()).state !== state)) return location.reload();
  }
}

if (waits) wait(waits);
