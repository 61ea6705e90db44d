// Shows a match with the replay viewer that its game brings along: games/<slug>/viewer.js exports
// `default function view(element, record, language)`. A page without it still has the transcript. The page of a match
// that is still to be played gets its place for the replay when the result has come.
async function show(place) {
  place.dataset.shown = "";
  try {
    const [viewer, answer] = await Promise.all([import(place.dataset.viewer), fetch(place.dataset.record)]);
    if (!answer.ok) throw new Error(`record: ${answer.status}`);
    viewer.default(place, await answer.json(), document.documentElement.lang);
  } catch (error) {
    console.error(error);
    place.textContent = place.dataset.failed;
  }
}

function showAll() {
  for (const place of document.querySelectorAll("[data-viewer]:not([data-shown])")) show(place);
}

showAll();
document.body.addEventListener("htmx:afterSwap", showAll);
