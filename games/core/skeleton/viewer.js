// Replay of a match: `view(element, log, language)` draws it into `element`.
//
// log is log.json: seats, frames (what the referee put into each), faults, scores, ranks, summary. `stage`, of the
// site's player, calls `show` with the number of a frame and that frame. Names and reasons come from bots: they are put
// in as text, never as HTML.

import { make, scroll, stage } from "/static/js/replay.js";

const ROWS = 10; // so that a long match is drawn as quickly as a short one

export const partial = true; // a long match arrives in parts: this draws whatever part of it is here

export default function view(element, log, language) {
  const box = scroll("The numbers named");
  const show = (at) => box.replaceChildren(board(log, at));
  stage(element, language, { log, style: STYLE, step: "Round", first: 1, parts: [box], show });
}

// A row for each of the last rounds up to frame `at`: the number named, in brackets the points so far.
function board(log, at) {
  const table = make("table");
  row(table, "th", ["Round", ...log.seats.map((seat) => seat.name)]);
  log.frames.slice(Math.max(0, at - ROWS + 1), at + 1).forEach((frame) => {
    row(table, "td", [frame.round, ...frame.named.map((named, seat) => `${named} (${frame.scores[seat]})`)]);
  });
  return table;
}

function row(table, tag, texts) {
  table.insertRow().append(...texts.map((text) => make(tag, "", text)));
}

const STYLE = `
  table { border-collapse: collapse; }
  th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid var(--line, #ccc); text-align: left; }
`;
