// Replay of a match: `view(element, record, language)` draws it into `element`.
//
// record is record.json: seats, frames (what the referee put into each), faults, scores, ranks, facts. Names and
// reasons come from bots: they are put in as text, never as HTML. Pages allow no inline styles.

export default function view(element, record, language) {
  const table = document.createElement("table");
  row(table.createTHead(), "th", ["Round", ...record.seats.map((seat) => seat.name)]);
  const body = table.createTBody();
  for (const [ask, frame] of record.frames.entries()) {
    const cells = frame.named.map((named, seat) => `${named} (${frame.scores[seat]})`);
    for (const fault of record.faults) {
      if (fault.turn === ask) cells[fault.seat] += ` ${fault.reason}`;
    }
    row(body, "td", [frame.round, ...cells]);
  }
  row(table.createTFoot(), "th", ["Rank", ...record.ranks]);
  const legend = document.createElement("p");
  legend.textContent = `The number named, in brackets the points so far. The lucky number was ${record.facts.lucky}.`;
  element.replaceChildren(table, legend);
}

function row(part, tag, texts) {
  const made = part.insertRow();
  for (const text of texts) {
    made.append(Object.assign(document.createElement(tag), { textContent: text }));
  }
}
