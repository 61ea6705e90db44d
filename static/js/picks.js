// The entrants of a new tournament: all, none, or all that are not the house's.
"use strict";

const picks = document.querySelector("[data-picks]");
const tools = picks?.querySelector("[data-picks-tools]");

if (tools) {
  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const wanted = event.target.closest("[data-pick]")?.dataset.pick;
    if (!wanted) return;
    for (const box of picks.querySelectorAll("input[name=bots]")) {
      box.checked = wanted === "all" || (wanted === "people" && !("house" in box.dataset));
    }
    picks.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
