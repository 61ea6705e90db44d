// What the replays of the two games of favour share: games/hidden_favour.py is their board, this is how it is drawn.
//
// A row a target, a column a player: real favour, in brackets what is shown where it differs, a bar, and a dot for each
// pick of the turn; the best and the worst of a row are marked. log.frames[0] is the start, frame n what turn n led
// to: `real`, `shown` and `picks` by seat. All else is for the game to say: its words, what a target is worth, which
// turns are secret, and when there are points.

import { faults, make, outcome, scroll, stage } from "/static/js/replay.js";

const TURNS = 9;

const STYLE = `
  table { width: 100%; min-width: 27rem; table-layout: fixed; border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.35rem 0.4rem; border-bottom: 1px solid var(--line, #ccc); text-align: left; vertical-align: top; }
  thead th { font-size: 0.875em; overflow-wrap: anywhere; }
  thead th:first-child { width: 5.5rem; }
  tbody th { font-weight: 500; }
  td.best { background: var(--good-soft, #e2f3e9); }
  td.worst { background: var(--bad-soft, #fde7ec); }
  .bar { height: 0.35rem; margin: 0.2rem 0; border-radius: 0.2rem; background: var(--line-strong, #888); }
  td.best .bar { background: var(--good, #1a6b40); }
  td.worst .bar { background: var(--bad, #ad0f3c); }
  .picks { display: block; min-height: 1.4em; overflow-wrap: anywhere; color: var(--accent, #a4390f); letter-spacing: 0.1em; }
  .secret { padding: 0.1em 0.5em; border-radius: 1em; background: var(--info-soft, #e5effa); color: var(--info, #1f5a99); }
  .legend { margin: 0.6rem 0 0; }
`;

// Draw the replay. `words`: step, start, open, secret, target, worth, points, draw and legend, in the page's language.
// `worths`: of each target. `secret(frame)`: was the turn secret? `points(turn)`: of each seat, or undefined where there
// are none yet. `more(turn)`: what else is to be said of a turn, or "".
export function replay(element, log, language, { words, worths, secret, points, more = () => "" }) {
  const box = scroll(words.legend);
  const show = (turn) => {
    box.replaceChildren(board(words, log, turn, worths, points(turn)));
    return sentence(words, language, log, turn, secret, more);
  };
  const parts = [box, make("p", "legend small", words.legend)];
  stage(element, language, { style: STYLE, step: words.step, last: TURNS, parts, show });
}

function board(words, log, turn, worths, points) {
  const frame = log.frames[turn];
  const table = make("table");
  const head = table.createTHead().insertRow();
  head.append(make("th", "", words.target), ...log.seats.map((seat) => make("th", "", seat.name)));
  const body = table.createTBody();
  const most = Math.max(1, ...log.frames[TURNS].real.flat());
  for (const [target, worth] of worths.entries()) {
    const name = make("th", "", `${target} `);
    name.append(make("span", "small", `${words.worth} ${worth}`));
    body.insertRow().append(name, ...log.seats.map((_, seat) => favour(frame, target, seat, most)));
  }
  if (points) body.insertRow().append(make("th", "", words.points), ...points.map((each) => make("td", "", each)));
  return table;
}

// How one player stands with one target, marked when it is the highest or the lowest of the row.
function favour(frame, target, seat, most) {
  const row = frame.real?.[target] ?? [0, 0, 0, 0];
  const [high, low] = [Math.max(...row), Math.min(...row)];
  const mark = high === low ? "" : row[seat] === high ? "best" : row[seat] === low ? "worst" : "";
  const cell = make("td", mark, row[seat]);
  const shown = frame.shown?.[target][seat] ?? row[seat];
  if (shown !== row[seat]) cell.append(make("span", "small", ` (${shown})`));
  const bar = make("div", "bar");
  bar.style.width = `${(100 * row[seat]) / most}%`;
  const picks = frame.picks?.[seat].filter((picked) => picked === target).length ?? 0;
  cell.append(bar, make("span", "picks", "●".repeat(picks)));
  return cell;
}

// Which turn it is; faults of the turn; after the last one, who has won.
function sentence(words, language, log, turn, secret, more) {
  if (turn === 0) return [words.start];
  const [kind, word] = secret(log.frames[turn]) ? ["secret", words.secret] : ["small", words.open];
  const parts = [`${words.step} ${turn} `, make("span", kind, word), ` ${more(turn)}`];
  parts.push(...faults(log, language, (fault) => fault.step === turn - 1));
  return turn < TURNS ? parts : [...parts, ...outcome(log, language, () => words.draw)];
}
