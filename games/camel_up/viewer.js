// Replay of a match of Camel Up: `view(element, log, language)` draws it into `element`.
//
// log.frames[0] is the start, frame n what turn n led to; see referee.py. Bets on the game are hidden from the other
// players, but not from spectators: they are marked as hidden.

import { change, choose, draw, make, plural, seatClass, seatName, seatShape, stage } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Turn", coins: { one: "coin", other: "coins" }, standing: "Coins", track: "The race track", finish: "Finish", dice: "Still to roll",
    square: (number) => `Square ${number}`, camel: (number) => `camel ${number}`, oasis: "Trap +1", mirage: "Trap −1",
    round: "Bet on the round", winner: "Hidden bet: wins the game", loser: "Hidden bet: comes last", turn: "on turn", ranking: "Ranking",
  },
  ja: {
    step: "手番", coins: { other: "コイン" }, standing: "コイン", track: "コース", finish: "ゴール", dice: "まだ振られていないサイコロ",
    square: (number) => `マス${number}`, camel: (number) => `ラクダ${number}`, oasis: "トラップ +1", mirage: "トラップ −1",
    round: "ラウンドの賭け", winner: "非公開の賭け: 優勝", loser: "非公開の賭け: 最下位", turn: "手番", ranking: "順位",
  },
  ru: {
    step: "Ход", coins: { one: "монета", few: "монеты", many: "монет", other: "монеты" }, standing: "Монеты", track: "Трасса",
    finish: "Финиш", dice: "Ещё не брошены", square: (number) => `Клетка ${number}`, camel: (number) => `верблюд ${number}`,
    oasis: "Ловушка +1", mirage: "Ловушка −1", round: "Ставка на раунд", winner: "Скрытая ставка: победит", loser: "Скрытая ставка: придёт последним",
    turn: "ходит", ranking: "Места",
  },
};

const FINISH = 16;
const LAST_SQUARE = 19;
const CAMELS = 5;
const [ROUND, WINNER, LOSER] = [2, 3, 4]; // actions that are bets

// A camel that walks to the right, in 56 x 40; its number stands on the saddle cloth.
const BODY = "M9 21c-1 2-3 2-4 6 1 1 2 0 3-2l1 2-1 12h4l2-10c3 1 8 1 12 0l1 10h4l0-12c2-1 3-3 4-5 4 0 8-1 9-6l1-4 4 0c2-1 3-2 2-3l-3-2c-2-3-6-3-8 0-1 3-1 6-3 7-2-4-5-5-7-3-2-4-9-7-13-2-3 1-6 5-8 12z";
const CLOTH = "M15 13c4-5 10-4 13 1l1 11c-5 2-11 2-15 0z";
const PALM = "M12 22V11M12 11C9 6 5 6 3 9c4-1 6 0 9 2 3-2 6-3 9-2-2-3-6-3-9 2zM12 11c-1-4 0-7 3-8 0 3-1 6-3 8M4 22h16";
const CACTUS = "M12 22V4M12 16H7V9M12 13h5V7M4 22h16";

const STYLE = `
  .players { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.5rem; margin-bottom: 0.7rem; }
  .player { display: grid; align-content: start; gap: 0.3rem; min-width: 0; padding: 0.5rem 0.7rem; border: 2px solid var(--line, #ccc); border-radius: 0.6rem; }
  .player.turn { border-color: var(--seat); background: color-mix(in srgb, var(--seat) 9%, transparent); }
  .money b { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
  .bets { display: flex; flex-wrap: wrap; align-content: start; gap: 0.2rem; min-height: 1.6rem; }
  .bet { display: inline-flex; align-items: center; gap: 0.15rem; padding: 0 0.35rem; border-radius: 0.25rem; border: 1.5px solid var(--camel); font-size: 0.8125rem; font-weight: 700; color: var(--camel); }
  .bet.hidden { border-style: dashed; } .cnull { --camel: var(--muted, #666); }
  .desert { padding: 0.6rem; border-radius: 0.75rem; background: linear-gradient(light-dark(#fbe6bd, #2b2334), light-dark(#f6d79b, #3b2c22)); }
  .sky { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.9rem; min-height: 2.6rem; margin-bottom: 0.4rem; color: light-dark(#5d4312, #ecd6a6); font-size: 0.875rem; }
  .pyramid { height: 2.4rem; } .pyramid path { fill: light-dark(#d9a447, #8a6a2d); } .pyramid .shade { fill: light-dark(#b9822b, #6b5020); }
  .dice { display: flex; align-items: center; gap: 0.3rem; }
  .die { display: grid; place-items: center; width: 1.55rem; height: 1.55rem; border-radius: 0.35rem; border: 2px solid var(--camel); background: var(--camel); color: var(--on-camel); font-weight: 700; font-size: 0.875rem; }
  .die.rolled { background: transparent; color: inherit; border-style: dotted; opacity: 0.55; }
  .now { margin-inline-start: auto; display: flex; align-items: center; gap: 0.4rem; font-weight: 650; }
  .now .die { width: 2.1rem; height: 2.1rem; font-size: 1.15rem; }
  .track { display: grid; grid-template-columns: repeat(${LAST_SQUARE + 1}, minmax(0, 1fr)); gap: 3px; }
  .square { position: relative; display: flex; flex-direction: column; justify-content: end; min-height: 10.6rem; border-radius: 0.35rem; background: light-dark(rgb(255 250 235 / 60%), rgb(255 240 210 / 9%)); }
  .square.end { background: repeating-conic-gradient(light-dark(#fff8, #fff2) 0 25%, light-dark(#c7a56855, #0004) 0 50%) 0 0 / 1rem 1rem; }
  .square.post::before { content: ""; position: absolute; inset: 0 auto 0 -4px; width: 4px; background: light-dark(#ad0f3c, #ff8ba3); }
  .stack { display: flex; flex-direction: column-reverse; align-items: center; flex: 1; }
  .camel { width: 100%; max-width: 3.4rem; margin-top: -22%; } .stack .camel:first-child { margin-bottom: 0; }
  .camel .body { fill: var(--camel); stroke: light-dark(#fff, #151412); stroke-width: 1.2; } .camel.moved .body { stroke: light-dark(#000, #fff); stroke-width: 2.4; } .camel .cloth { fill: var(--on-camel); }
  .camel text { font: 800 12px var(--sans, sans-serif); text-anchor: middle; fill: var(--camel); }
  .c0 { --camel: light-dark(#9c2b0c, #ff9a72); } .c1 { --camel: light-dark(#124f93, #83bdf7); } .c2 { --camel: light-dark(#0b5e3f, #68d3a4); }
  .c3 { --camel: light-dark(#63308f, #d0a4f2); } .c4 { --camel: light-dark(#54430a, #f0d878); }
  .c0, .c1, .c2, .c3, .c4 { --on-camel: light-dark(#fff, #151412); }
  .trap { display: flex; flex-direction: column; align-items: center; font-size: 0.75rem; font-weight: 700; color: light-dark(#3d2c06, #f4e3bd); }
  .trap svg.plant { width: 1.5rem; height: 1.5rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
  .trap .own { display: inline-flex; align-items: center; gap: 0.1rem; } .trap .shape { margin: 0; }
  .number { text-align: center; font-size: 0.75rem; color: light-dark(#5d4312, #d6c296); }
  @container (width < 46rem) { .bets { min-height: 3.4rem; } .bet { padding: 0 0.25rem; } .track { grid-template-columns: repeat(10, minmax(0, 1fr)); row-gap: 0.5rem; } }
  @container (width < 34rem) { .players { grid-template-columns: repeat(2, minmax(0, 1fr)); } .square { min-height: 8.6rem; } .stack .camel { width: 165%; max-width: 3.2rem; margin-top: -45%; }
    .sky { flex-wrap: nowrap; gap: 0.4rem; } .dice .label { display: none; } .die { width: 1.4rem; height: 1.4rem; font-size: 0.8125rem; } .now .die { width: 1.8rem; height: 1.8rem; font-size: 1rem; } }
`;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  const players = make("div", "players");
  const desert = make("div", "desert");
  const sky = make("div", "sky");
  const track = make("div", "track");
  track.setAttribute("role", "group");
  track.setAttribute("aria-label", words.track);
  desert.append(sky, track);
  const show = (at, frame) => {
    const bets = betsAt(log, at);
    players.replaceChildren(...log.seats.map((seat, number) => player(words, language, frame, log.frames[at - 1], seat.name, number, bets)));
    sky.replaceChildren(...above(words, frame));
    track.replaceChildren(...Array.from({ length: LAST_SQUARE + 1 }, (_, number) => square(words, frame, number, log)));
  };
  stage(element, language, { log, style: STYLE, step: words.step, standing: words.standing, stands: null, parts: [players, desert], show });
}

// The bets that lie on the table at a frame: those of the running round, and those on the game.
function betsAt(log, at) {
  let from = at;
  while (from > 1 && !log.frames[from - 1].round) from -= 1;
  const made = (first, kinds) => log.frames.slice(first, at + 1).filter(({ action }) => action && kinds.includes(action[0]));
  return [...made(Math.max(1, from), [ROUND]), ...made(1, [WINNER, LOSER])];
}

function player(words, language, frame, before, name, seat, bets) {
  const turn = frame.seat === seat;
  const box = make("div", `player ${seatClass(seat)}${turn ? " turn" : ""}`);
  const money = make("div", "money");
  money.append(make("b", "", frame.coins[seat]), ` ${plural(language, frame.coins[seat], words.coins)} `, change(frame.coins[seat], before?.coins[seat]));
  const own = make("div", "bets");
  own.append(...bets.filter((bet) => bet.seat === seat).map(({ turn: made, action: [kind, camel] }) => ticket(words, made, kind, camel)));
  box.append(seatName(seat, name), money, own);
  return box;
}

function ticket(words, turn, kind, camel) {
  const known = camel !== null; // not while the match is played: see public.py
  const box = make("span", `bet c${camel}${kind === ROUND ? "" : " hidden"}`, `${{ [ROUND]: "", [WINNER]: "▲", [LOSER]: "▼" }[kind]}${known ? camel : "?"}`);
  const text = `${{ [ROUND]: words.round, [WINNER]: words.winner, [LOSER]: words.loser }[kind]}${known ? `: ${words.camel(camel)}` : ""}`;
  box.title = text;
  box.dataset.piece = `bet ${turn}`;
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", text);
  return box;
}

// The pyramid with the dice that are still in it, and what this turn rolled.
function above(words, frame) {
  const pyramid = draw("svg", { class: "pyramid", viewBox: "0 0 60 40", "aria-hidden": "true" });
  pyramid.append(draw("path", { d: "M30 2L58 38H2z" }), draw("path", { class: "shade", d: "M30 2L58 38H38z" }));
  const dice = make("span", "dice");
  dice.title = words.dice;
  dice.append(make("span", "label", `${words.dice}: `));
  for (let camel = 0; camel < CAMELS; camel += 1) dice.append(make("span", `die c${camel}${frame.waiting[camel] ? "" : " rolled"}`, camel));
  const parts = [pyramid, dice];
  if (frame.rolled) {
    const [camel, pips] = frame.rolled;
    const now = make("span", "now");
    now.append(draw("svg", { class: `camel c${camel}`, viewBox: "0 0 56 40", width: 44, "aria-hidden": "true" }, draw("path", { class: "body", d: BODY })), make("span", `die c${camel}`, `+${pips}`));
    parts.push(now);
  }
  return parts;
}

// A square with its camels stacked up, and the trap that lies there with the shape of its owner.
function square(words, frame, number, log) {
  const box = make("div", `square${number >= FINISH ? " end" : ""}${number === FINISH ? " post" : ""}`);
  box.dataset.place = number;
  if (number === FINISH) box.title = words.finish;
  const stack = make("div", "stack");
  for (const camel of frame.track.find(([at]) => at === number)?.[1] ?? []) stack.append(picture(words, camel, frame.rolled?.[0] === camel));
  box.append(stack);
  const trap = frame.traps.find(([at]) => at === number);
  if (trap) {
    const [, kind, owner] = trap;
    const tile = make("div", "trap");
    tile.dataset.piece = `trap ${owner}`;
    const label = make("span", "own");
    label.append(kind > 0 ? "+1" : "−1", seatShape(owner));
    tile.append(draw("svg", { class: "plant", viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: kind > 0 ? PALM : CACTUS })), label);
    tile.title = `${kind > 0 ? words.oasis : words.mirage}, ${log.seats[owner].name}`;
    box.append(tile);
  }
  box.append(make("div", "number", number));
  return box;
}

function picture(words, camel, moved) {
  const made = draw("svg", { class: `camel c${camel}${moved ? " moved" : ""}`, viewBox: "0 0 56 40", role: "img", "data-piece": `camel ${camel}` });
  made.setAttribute("aria-label", words.camel(camel));
  made.append(draw("path", { class: "body", d: BODY }), draw("path", { class: "cloth", d: CLOTH }), draw("text", { x: 21.5, y: 24 }, camel));
  return made;
}
