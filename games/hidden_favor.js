// How the board of hidden_favor.py is drawn, for the viewers of its games.
//
// A card a target (a lord, a language) with its emblem and its worth; in it a bar a player, as long as its real favor.
// What the others are not shown is hatched. The best and the worst of a target gain and lose it: ▲ and ▼. Dots are the
// picks of the turn. Frames hold `real`, `shown` and `picks` by seat; all else is for the game to say.

import { draw, make, seatClass, seatShape, stage } from "/static/js/replay.js";

const STYLE = `
  .sky { display: flex; align-items: center; gap: 0.8rem; min-height: 3.6rem; padding: 0.4rem 0.9rem; border-radius: 0.75rem 0.75rem 0 0; font-weight: 650;
    background: linear-gradient(100deg, light-dark(#d4e8fb, #27425c), light-dark(#fdf1cf, #57471f)); color: var(--ink, #000); }
  .sky.secret { background: linear-gradient(100deg, #141a3d, #2c2456); color: #f2efff; }
  .sky svg { flex: none; width: 2.6rem; height: 2.6rem; } .sky .small { color: inherit; font-weight: 400; margin-inline-start: auto; text-align: end; }
  .orb { fill: #f4b52c; stroke: #8a6100; stroke-width: 1; } .rays { fill: none; stroke: #c58a00; stroke-width: 3; stroke-linecap: round; }
  .moon { fill: #f5eebf; } .pole { fill: none; stroke: currentColor; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
  .stands { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.3rem 0.6rem; margin-bottom: 0.6rem; } .stands > .small { grid-column: 1 / -1; }
  .stands .stand { justify-content: space-between; padding: 0.25rem 0.6rem; border: 1px solid var(--line, #ccc); border-radius: 0.5rem; } .stands b { min-width: 0; white-space: nowrap; }
  .targets { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.6rem; padding: 0.7rem; border: 1px solid var(--line, #ccc); border-top: 0; border-radius: 0 0 0.75rem 0.75rem; }
  .target { min-width: 0; padding: 0.6rem; border: 1px solid var(--line, #ccc); border-radius: 0.5rem; background: var(--surface, #fff); }
  .head { display: flex; align-items: center; gap: 0.6rem; margin-bottom: 0.35rem; }
  .emblem { flex: none; width: 2.9rem; height: 2.9rem; color: light-dark(#6a2417, #f0b49f); }
  .emblem .disc { fill: currentColor; } .emblem .mark { fill: none; stroke: light-dark(#fff, #201c18); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
  .emblem .solid { fill: light-dark(#fff, #201c18); stroke: none; } .emblem text { font: 700 19px var(--mono, monospace); text-anchor: middle; fill: light-dark(#fff, #201c18); }
  .worth { display: flex; align-items: center; gap: 0.15rem; font-size: 0.8125rem; color: var(--muted, #666); } .worth i { width: 0.5rem; height: 0.5rem; border-radius: 1px; background: light-dark(#a87900, #eac056); transform: rotate(45deg); }
  .who { display: grid; grid-template-columns: 1.1rem minmax(0, 1fr) 3.6rem 1rem; align-items: center; gap: 0.3rem; height: 1.5rem; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
  .who .shape { margin: 0; } .rail { position: relative; height: 0.95rem; border-radius: 0.2rem; background: var(--sunken, #f2eee6); }
  .bar { position: absolute; inset: 0 auto 0 0; border-radius: 0.2rem; background: var(--seat); }
  .bar.hatched { border: 1.5px solid var(--seat); background: repeating-linear-gradient(45deg, var(--seat) 0 2px, var(--surface, #fff) 2px 6px); }
  .dots { position: absolute; inset: 0 0.3rem 0 auto; display: flex; align-items: center; gap: 2px; }
  .dots i { width: 0.5rem; height: 0.5rem; border-radius: 50%; border: 1.5px solid var(--surface, #fff); background: var(--ink, #000); }
  .number { text-align: end; white-space: nowrap; line-height: 1; } .number small { color: var(--muted, #666); }
  .best { color: var(--good, #1a6b40); font-weight: 700; } .worst { color: var(--bad, #ad0f3c); font-weight: 700; }
  .key { margin: 0.5rem 0 0; font-size: 0.8125rem; color: var(--muted, #666); }
  :host([data-play]) :is(.key, .stands > .small) { display: none; } :host([data-play]) .sky { min-height: 3rem; }
  @container (width < 38rem) { .targets { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.4rem; padding: 0.4rem; } .target { padding: 0.4rem; } .emblem { width: 2.1rem; height: 2.1rem; } .head { gap: 0.35rem; } .target .name { font-size: 0.8125rem; } .who { grid-template-columns: 0.8rem minmax(0, 1fr) 1.3rem 0.8rem; gap: 0.2rem; font-size: 0.75rem; } .number small { display: none; } .stands { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.3rem; font-size: 0.875rem; } .stands .stand { padding: 0.2rem 0.4rem; } .sky { min-height: 4rem; line-height: 1.3; } }
`;

// Draw the replay. `words`: step, standing, start, open, secret, worth, key, draw, and more as the game needs, in the page's
// language. `skies`: the pictures of open and of secret turns. `targets`: of each its name, its worth and the shapes of its emblem. `secret(frame)`: was the turn secret?
// `more(at)`: what else is to be said of a frame, or "".
export function replay(element, log, language, { words, skies, targets, secret, more = () => "" }) {
  const stands = make("div", "stands");
  const sky = make("div", "sky");
  const board = make("div", "targets");
  let drawn = null;
  const show = (at, frame) => {
    drawn = frame.real ? frame : at ? log.frames[at - 1] : null; // the reckoning shows the last turn
    const most = Math.max(1, ...log.frames.flatMap((each) => each.real ?? []).flat());
    const hidden = Boolean(drawn && frame.real && secret(frame));
    sky.className = hidden ? "sky secret" : "sky";
    const text = at === 0 ? words.start : frame.real ? `${words.step} ${at}: ${hidden ? words.secret : words.open}` : words.end;
    sky.replaceChildren(picture(skies[hidden ? 1 : 0]), text, make("span", "small", more(at)));
    board.replaceChildren(...targets.map((target, number) => card(words, log, drawn, target, number, most)));
  };
  const parts = [stands, sky, board, make("p", "key", words.key)];
  stage(element, language, { log, style: STYLE, step: words.step, standing: words.standing, pace: 1800, drawn: () => words.draw, parts, show, stands });
}

function picture(shapes) {
  return draw("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, ...shapes.map(([className, d]) => draw("path", { class: className, d })));
}

function card(words, log, frame, target, number, most) {
  const box = make("div", "target");
  box.dataset.place = number;
  const head = make("div", "head");
  const emblem = draw("svg", { class: "emblem", viewBox: "0 0 48 48", "aria-hidden": "true" });
  emblem.append(draw("circle", { class: "disc", cx: 24, cy: 24, r: 23 }), ...target.emblem);
  const title = make("div");
  const worth = make("div", "worth");
  worth.title = `${words.worth} ${target.worth}`;
  worth.append(...Array.from({ length: target.worth }, () => make("i")), ` ${target.worth}`);
  title.append(make("div", "name", target.name), worth);
  head.append(emblem, title);
  box.append(head, ...log.seats.map((seat, place) => favor(words, frame, number, place, seat.name, most)));
  return box;
}

// How one player stands with one target.
function favor(words, frame, target, seat, name, most) {
  const row = frame?.real[target] ?? [0, 0, 0, 0];
  const shown = frame?.shown[target][seat] ?? 0;
  const box = make("div", `who ${seatClass(seat)}`);
  const rail = make("div", "rail");
  const piece = `${target} ${seat}`;
  rail.append(bar(`real ${piece}`, "bar hatched", row[seat] / most), bar(`shown ${piece}`, "bar", Math.min(shown, row[seat]) / most));
  const picks = frame?.picks[seat].filter((picked) => picked === target).length ?? 0;
  const dots = make("div", "dots");
  dots.append(...Array.from({ length: picks }, () => make("i")));
  rail.append(dots);
  const number = make("span", "number", row[seat]);
  if (shown !== row[seat]) number.append(make("small", "", ` (${shown})`));
  const [high, low] = [Math.max(...row), Math.min(...row)];
  const mark = high === low ? "" : row[seat] === high ? "best" : row[seat] === low ? "worst" : "";
  box.append(seatShape(seat), rail, number, make("span", mark, { best: "▲", worst: "▼" }[mark] ?? ""));
  box.title = `${name}: ${row[seat]} (${shown})`;
  return box;
}

function bar(piece, className, part) {
  const made = make("div", className);
  made.dataset.piece = piece;
  made.style.width = `${100 * part}%`;
  made.hidden = part === 0;
  return made;
}
