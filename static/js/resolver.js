// Keys of the pages on which places are revealed (agon.site.web.tournaments.resolver_views): they press what the page
// offers, marked with data-key. Clickers of presenters send Page Down and Page Up.
const WAYS = {
  " ": "next", ArrowRight: "next", ArrowDown: "next", PageDown: "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
};

document.addEventListener("keydown", (event) => {
  const way = WAYS[event.key];
  if (!way || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return; // it presses what has the focus
  const offered = document.querySelector(`[data-key=${way}]`);
  if (!offered) return;
  event.preventDefault();
  if (!event.repeat) offered.click(); // a key that is held reveals one place
});

const full = document.getElementById("full");
if (full) {
  full.hidden = !document.fullscreenEnabled;
  full.addEventListener("click", () => document.documentElement.requestFullscreen());
  document.addEventListener("fullscreenchange", () => (full.hidden = Boolean(document.fullscreenElement)));
}
