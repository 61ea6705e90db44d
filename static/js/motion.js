// Pieces of a board that move from where they were to where they are, like the men of a board game.
//
// A viewer draws each step anew. It names what is the same thing in two steps: data-piece="camel 3". A piece that was
// there before glides from its old place, and changes its width on the way; a new one appears softly. What is drawn is
// the step itself, so whatever is asked of the page meanwhile is already true.

const LONGEST = 420; // milliseconds
const STEADY = 1; // pixels that are not worth a movement

// Call `redraw()`, and let the pieces in `board` move for at most `milliseconds`; 0 for none.
export function glide(board, milliseconds, redraw) {
  if (milliseconds <= 0) return redraw();
  const before = places(board);
  const result = redraw();
  const scale = board.getBoundingClientRect().width / board.offsetWidth; // of a full screen
  const timing = { duration: Math.min(LONGEST, milliseconds), easing: "ease-out" };
  for (const [piece, [element, place]] of places(board)) {
    const old = before.get(piece)?.[1];
    if (old) move(element, old, place, scale, timing);
    else if (before.size) element.animate([{ opacity: 0 }, {}], timing);
  }
  return result;
}

function places(board) {
  const found = new Map();
  for (const element of board.querySelectorAll("[data-piece]")) {
    const place = element.getBoundingClientRect();
    if (place.width) found.set(element.dataset.piece, [element, place]); // a hidden one is nowhere
  }
  return found;
}

function move(element, old, place, scale, timing) {
  const [x, y] = [(old.left - place.left) / scale, (old.top - place.top) / scale];
  const grown = !element.ownerSVGElement && Math.abs(old.width - place.width) > STEADY;
  if (Math.hypot(x, y) <= STEADY && !grown) return;
  const start = { translate: `${x}px ${y}px`, ...(grown ? { width: `${old.width / scale}px` } : {}) };
  element.animate([start, { translate: "0px 0px", ...(grown ? { width: `${place.width / scale}px` } : {}) }], timing);
}
