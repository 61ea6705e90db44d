// What the player says of a frame, and how the players stand at it.

import { make, seatName } from "/static/js/drawing.js";

// What happened at a frame, as the log tells it: its scene, a line for each player's part in it, and the result.
export function story(words, log, at, last, drawn) {
  const { title = "", by = null, lines = [] } = log.told?.[at] ?? {};
  const shown = lines.map((line) => spoken(words, log, line));
  const told = new Set(lines.map(({ seat, text }) => `${seat} ${text}`));
  const moments = (log.marks ?? []).filter(
    ([frame, kind, seat, text]) => frame === at && kind === "moment" && !told.has(`${seat} ${text}`),
  );
  const parts = [...(title ? [heading(log, title, by)] : []), ...shown, ...moments.map((mark) => momentLine(words, log, mark))];
  if (at === last && !log.live) parts.push(make("p", "outcome", result(words, log, drawn)));
  return parts;
}

function heading(log, title, by) {
  const line = make("p", "title");
  if (by !== null) line.append(seatName(by, log.seats[by]?.name ?? ""), " ");
  line.append(title);
  return line;
}

function spoken(words, log, { seat, text, us, fault }) {
  const line = make("p", fault ? "line faulty" : "line");
  const body = make("span", "what");
  if (seat !== null) body.append(seatName(seat, log.seats[seat]?.name ?? ""), " ");
  if (text) body.append(text);
  if (fault) body.append(" ", make("strong", "fault", words.faults[fault.kind] ?? fault.kind), `: ${fault.reason}`);
  line.append(body);
  if (us) line.append(time(words, us, log.limit_us)); // 0 was not measured
  return line;
}

function momentLine(words, log, [, , seat, text]) {
  const line = make("p", "key-moment");
  line.title = words.moment;
  if (seat !== null) line.append(seatName(seat, log.seats[seat]?.name ?? ""), " ");
  line.append(text);
  return line;
}

// How long an answer took, with a bar of the time that was allowed.
function time(words, us, limit) {
  const box = make("span", "took", duration(words, us));
  if (!limit) return box;
  box.title = words.took(duration(words, us), duration(words, limit));
  const bar = make("span", "meter");
  const used = make("span", us > limit / 2 ? "used long" : "used");
  used.style.width = `${Math.min(100, (100 * us) / limit)}%`;
  bar.append(used);
  box.prepend(bar);
  return box;
}

function duration(words, us) {
  const size = us < 1000 ? 0 : us < 1e6 ? 1 : 2;
  return decimal(words, (us / 1000 ** size).toPrecision(3)) + words.units[size];
}

// With the decimal separator of the language.
function decimal(words, digits) {
  return Number(digits).toLocaleString(words.locale, { useGrouping: false });
}

function result(words, log, drawn) {
  const best = (log.seats ?? []).filter((_, seat) => log.ranks[seat] === 1).map(({ name }) => name);
  return best.length === 1 ? words.won(best[0]) : drawn(best.join(", "));
}

// Where each player stands, at the nearest point of the curve before this frame.
export function standings(words, log, at, label) {
  const point = log.curve?.findLast(([frame]) => frame <= at);
  if (!point) return [];
  const all = point.slice(1).map((value, seat) => {
    const each = make("span", "stand");
    each.append(seatName(seat, log.seats[seat]?.name ?? ""), " ", make("b", "", decimal(words, value.toFixed(1)).replace("-", "−")));
    return each;
  });
  return [make("span", "small", label), ...all];
}
