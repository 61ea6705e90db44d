// What a game's viewer.js imports: the player, and helpers to draw with.
//
// A viewer exports `default function view(element, log, language)`, builds its own parts once and calls `stage`
// (player.js), which says when to bring them up to which frame. `log` holds what platform/agon/contest/replay_data.py puts
// there: seats, frames, the story by frame, marks, the curve, scores, ranks, summary, faults.

import { choose, make } from "/static/js/drawing.js";
import { WORDS } from "/static/js/player_words.js";

export { change, choose, draw, make, plural, scroll, seatClass, seatName, seatShape } from "/static/js/drawing.js";
export { stage } from "/static/js/player.js";

// For a viewer that describes its steps itself: the faults for which `shown(fault)` holds, each on a line of its own.
export function faults(log, language, shown) {
  const kinds = choose(WORDS, language).faults;
  return log.faults.filter(shown).flatMap(({ seat, kind, reason }) => [
    make("br"), `${log.seats[seat]?.name}: ${kinds[kind] ?? kind}. ${reason}`,
  ]);
}

// Likewise who has won; `several(names)` says it where not one alone was best.
export function outcome(log, language, several) {
  if (log.live) return [];
  const best = log.seats.filter((_, seat) => log.ranks[seat] === 1).map(({ name }) => name);
  const text = best.length === 1 ? choose(WORDS, language).won(best[0]) : several(best);
  return [make("br"), make("strong", "", text)];
}
