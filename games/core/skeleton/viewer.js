// Replay of a match: `view(element, log, language)` draws it into `element`.
//
// log is log.json: seats, frames (what the referee put into each), faults, scores, ranks, summary. The site's
// replay.js has the controls and what else all viewers share. Names and reasons come from bots: they are put in as
// text, never as HTML.

import { faults, make, outcome, scroll, stage } from "/static/js/replay.js";

export default function view(element, log, language) {
  const last = log.frames.length;
  const box = scroll("The numbers named");
  const show = (step) => {
    box.replaceChildren(board(log, step));
    const says = [step === 0 ? "Before the first round" : `Round ${step}`];
    says.push(...faults(log, language, (fault) => fault.step === step - 1 && fault.kind !== "start"));
    if (step < last) return says;
    says.push(` The lucky number was ${log.summary.lucky}.`);
    return [...says, ...outcome(log, language, () => "Nobody was better.")];
  };
  stage(element, language, { style: STYLE, step: "Round", last, parts: [box], show });
}

// A row for each round up to `step`: the number named, in brackets the points so far.
function board(log, step) {
  const table = make("table");
  row(table, "th", ["Round", ...log.seats.map((seat) => seat.name)]);
  for (const frame of log.frames.slice(0, step)) {
    row(table, "td", [frame.round, ...frame.named.map((named, seat) => `${named} (${frame.scores[seat]})`)]);
  }
  return table;
}

function row(table, tag, texts) {
  table.insertRow().append(...texts.map((text) => make(tag, "", text)));
}

const STYLE = `
  table { border-collapse: collapse; }
  th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid var(--line, #ccc); text-align: left; }
`;
