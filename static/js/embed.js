// A replay in another site's frame tells that site where it is.
//
// Messages to the parent page: { source: "agon", match, type: "step", step, last } whenever the step changes, and the
// same with type "ended" when the last one is reached. All of it is public, so any parent may have it.

const place = document.querySelector("[data-match]");

place.addEventListener("step", ({ detail: { step, last, ended } }) => {
  const message = { source: "agon", match: Number(place.dataset.match), step, last };
  parent.postMessage({ ...message, type: "step" }, "*");
  if (ended) parent.postMessage({ ...message, type: "ended" }, "*");
});
