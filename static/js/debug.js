// What the reader's own bots wrote to standard error at a frame: text, and what their `@debug` lines ask to be drawn.
//
// log.debug holds { frame, seat, text, overlay } (platform/agon/advice/debug_lines.py has checked the overlays). Bars are
// drawn below the picture; a value for a place of the board at the element with that data-place. All of it is text.

import { make, seatClass, seatName } from "/static/js/drawing.js";

export const DEBUG_STYLE = `
  .debug { display: grid; gap: 0.5rem; padding: 0.7rem 0.9rem; border: 1px dashed var(--line-strong, #888); border-radius: 0.5rem; font-size: 0.875rem; }
  .debug:empty { display: none; }
  .debug p, .debug pre { margin: 0; } .debug pre { max-height: 12rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.8125rem/1.45 var(--mono, monospace); }
  .weights { display: grid; grid-template-columns: minmax(3rem, max-content) minmax(4rem, 14rem) max-content; gap: 0.15rem 0.6rem; align-items: center; }
  .weights i { height: 0.7rem; border-radius: 0.2rem; background: var(--seat); }
  .at-place { display: inline-block; margin: 0.1rem; padding: 0 0.35em; border: 1px dashed var(--seat); border-radius: 0.3rem; font: 0.75rem var(--mono, monospace); overflow-wrap: anywhere; }
`;

export function debugPanel(log, board) {
  const panel = make("div", "debug");
  const show = (at) => {
    for (const old of board.querySelectorAll(".at-place")) old.remove();
    const pieces = (log.debug ?? []).filter((piece) => piece.frame === at);
    panel.replaceChildren(...pieces.flatMap((piece) => said(log, piece)));
    for (const { seat, overlay } of pieces) atPlaces(board, seat, overlay?.places ?? {});
  };
  return { panel, show };
}

function said(log, { seat, text, overlay }) {
  const parts = [seatName(seat, log.seats[seat]?.name ?? "")];
  if (overlay?.text) parts.push(make("p", "", overlay.text));
  if (overlay?.bars) parts.push(weights(seat, overlay.bars));
  if (text) {
    const words = make("pre", "", text);
    words.tabIndex = 0;
    parts.push(words);
  }
  return parts;
}

function weights(seat, bars) {
  const box = make("div", `weights ${seatClass(seat)}`);
  const most = Math.max(...Object.values(bars).map(Math.abs), 1e-9);
  for (const [label, value] of Object.entries(bars)) {
    const bar = make("i");
    bar.style.width = `${(100 * Math.abs(value)) / most}%`;
    box.append(make("span", "", label), bar, make("span", "", value));
  }
  return box;
}

function atPlaces(board, seat, places) {
  for (const place of board.querySelectorAll("[data-place]")) {
    if (!Object.hasOwn(places, place.dataset.place)) continue;
    place.append(make("span", `at-place ${seatClass(seat)}`, places[place.dataset.place]));
  }
}
