// Shows a match with the replay viewer that its game brings along: games/<slug>/viewer.js exports
// `default function view(element, log, language)`. A page without it still has the transcript. The page of a match
// that is still to be played gets its place for the replay when the result has come.
async function show(place) {
  place.dataset.shown = "";
  try {
    const [viewer, answer] = await Promise.all([import(place.dataset.viewer), fetch(place.dataset.log)]);
    if (!answer.ok) throw new Error(`log: ${answer.status}`);
    viewer.default(place, present(await answer.json()), document.documentElement.lang);
  } catch (error) {
    console.error(error);
    place.textContent = place.dataset.failed;
  }
}

// Logs of format 1 call steps turns, and the summary facts.
function present(log) {
  if (log.format !== 1) return log;
  const renamed = ({ turn: step, ...rest }) => ({ ...rest, step });
  const { turns, faults, facts: summary, ...rest } = log;
  return { ...rest, exchanges: turns.map(renamed), faults: faults.map(renamed), summary };
}

function showAll() {
  for (const place of document.querySelectorAll("[data-viewer]:not([data-shown])")) show(place);
}

showAll();
document.body.addEventListener("htmx:afterSwap", showAll);
