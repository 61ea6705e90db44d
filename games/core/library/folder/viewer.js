// Replay of a match: `view(element, log, language)` draws it into `element`.
//
// log is log.json: seats, frames (games/core/library/referee.py puts the library's own text into each), faults, scores,
// ranks, summary. Names and moves come from bots and libraries: they are put in as text, never as HTML.

import { make, scroll, seatName, stage } from "/static/js/replay.js";

export const partial = true; // a long match arrives in parts: this draws whatever part of it is here

export default function view(element, log, language) {
  const made = make("ul", "made");
  const box = scroll("The game");
  const show = (at, frame) => {
    made.replaceChildren(...(frame?.moves ?? []).map(([seat, text]) => move(log, seat, text)));
    box.replaceChildren(make("pre", "", frame?.text ?? ""), scores(log, frame));
  };
  stage(element, language, { log, style: STYLE, step: "Move", parts: [made, box], show });
}

// What a seat did to get here, or chance.
function move(log, seat, text) {
  const line = make("li");
  line.append(seat < 0 ? make("em", "", "Chance") : seatName(seat, log.seats[seat].name), ` ${text}`);
  return line;
}

function scores(log, frame) {
  const table = make("table");
  log.seats.forEach((seat, number) => {
    const row = table.insertRow();
    row.append(make("th", "", seat.name), make("td", "", frame?.scores[number] ?? ""));
    row.firstChild.scope = "row";
  });
  return table;
}

const STYLE = `
  .made { list-style: none; margin: 0; padding: 0; min-height: 1.5em; }
  pre { margin: 0.5rem 0; font-size: 1.1rem; line-height: 1.3; }
  table { border-collapse: collapse; }
  th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; }
`;
