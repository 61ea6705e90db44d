// Replay of a match of Camel Up: `view(element, log, language)` draws it into `element`.
//
// The stage, its controls and all else that viewers share is in replay.js. Names and reasons come from bots: they are
// put in as text, never as HTML.
// log.frames[0] is the start, frame n what turn n led to; see referee.py. Game bets are hidden from the others
// during the game, but not here.

import { choose, faults, make, outcome, plural, scroll, stage } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Turn", coins: { one: "coin", other: "coins" }, track: "The race track", finish: "finish",
    start: "The camels are at the start.", waits: "has not moved in this round",
    rolls: (who, camel, die) => `${who} rolls: camel ${camel} moves ${die}.`, trapped: (owner) => `A trap of ${owner}!`,
    lays: (who, square, kind) => `${who} lays a trap (${kind}) on square ${square}.`,
    bets: (who, camel) => `${who} bets on camel ${camel} to win the round.`,
    wins: (who, camel) => `${who} bets on camel ${camel} to win the game.`,
    loses: (who, camel) => `${who} bets on camel ${camel} to come last.`,
    round: (first, second) => `The round ends: camel ${first} is first, camel ${second} second.`,
    kinds: { 2: "the round", 3: "the winner", 4: "the last" },
    paid: (who, coins, camel, kind) => `${who} ${coins < 0 ? "−" : "+"}${Math.abs(coins)} (camel ${camel}, bet on ${kind})`,
    shared: (names) => `${names.join(", ")} share the win`,
  },
  ja: {
    step: "手番", coins: { other: "コイン" }, track: "コース", finish: "ゴール",
    start: "ラクダがスタートに並びました。", waits: "このラウンドではまだ動いていません",
    rolls: (who, camel, die) => `${who}がサイコロを振り、ラクダ${camel}が${die}進みます。`, trapped: (owner) => `${owner}のトラップです。`,
    lays: (who, square, kind) => `${who}がマス${square}にトラップ(${kind})を置きます。`,
    bets: (who, camel) => `${who}がラクダ${camel}のラウンド1位に賭けます。`,
    wins: (who, camel) => `${who}がラクダ${camel}の優勝に賭けます。`,
    loses: (who, camel) => `${who}がラクダ${camel}の最下位に賭けます。`,
    round: (first, second) => `ラウンド終了。1位はラクダ${first}、2位はラクダ${second}です。`,
    kinds: { 2: "ラウンド", 3: "優勝", 4: "最下位" },
    paid: (who, coins, camel, kind) => `${who} ${coins < 0 ? "−" : "+"}${Math.abs(coins)}（ラクダ${camel}、${kind}への賭け）`,
    shared: (names) => `${names.join("、")} が勝ちを分け合います`,
  },
  ru: {
    step: "Ход", coins: { one: "монета", few: "монеты", many: "монет", other: "монеты" },
    track: "Беговая дорожка", finish: "финиш",
    start: "Верблюды на старте.", waits: "в этом раунде ещё не ходил",
    rolls: (who, camel, die) => `${who} бросает кубик: верблюд ${camel} идёт на ${die}.`, trapped: (owner) => `Ловушка: ${owner}!`,
    lays: (who, square, kind) => `${who} ставит ловушку (${kind}) на клетку ${square}.`,
    bets: (who, camel) => `${who} ставит на верблюда ${camel}: победа в раунде.`,
    wins: (who, camel) => `${who} ставит на верблюда ${camel}: победа в игре.`,
    loses: (who, camel) => `${who} ставит на верблюда ${camel}: последнее место.`,
    round: (first, second) => `Раунд окончен: первый верблюд ${first}, второй ${second}.`,
    kinds: { 2: "раунд", 3: "победителя", 4: "последнего" },
    paid: (who, coins, camel, kind) => `${who} ${coins < 0 ? "−" : "+"}${Math.abs(coins)} (верблюд ${camel}, ставка на ${kind})`,
    shared: (names) => `${names.join(", ")} делят победу`,
  },
};

const FINISH = 16;
const LAST_SQUARE = 19;

const STYLE = `
  .players { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.7rem; margin-bottom: 0.9rem; }
  .player { padding: 0.6rem 0.8rem; border: 2px solid var(--line, #ccc); border-radius: 0.5rem; min-width: 0; }
  .player.moving { border-color: var(--accent, #a4390f); }
  .coins b { font-size: 1.3em; font-variant-numeric: tabular-nums; }
  .track { display: grid; grid-template-columns: repeat(${LAST_SQUARE + 1}, minmax(2.2rem, 1fr)); gap: 0.2rem; min-width: 48rem; }
  .square { display: flex; flex-direction: column; min-height: 10.5rem; border-radius: 0.3rem; background: var(--sunken, #f2eee6); }
  .square.end { background: var(--good-soft, #e2f3e9); }
  .stack { flex: 1; display: flex; flex-direction: column-reverse; gap: 0.15rem; padding: 0.15rem; }
  .camel { padding: 0.2rem 0; border-radius: 0.3rem; text-align: center; font-weight: 700; color: #fff; border: 2px solid transparent; }
  .camel.waits { border-color: var(--ink, #000); }
  .camel.c0 { background: #a4390f; } .camel.c1 { background: #1f5a99; } .camel.c2 { background: #1a6b40; }
  .camel.c3 { background: #6d3fa0; } .camel.c4 { background: #6b5a2e; }
  .trap { text-align: center; font-size: 0.8em; color: var(--warn, #825300); overflow-wrap: anywhere; }
  .number { text-align: center; font-size: 0.8em; color: var(--muted, #666); }
  .legend { margin: 0.6rem 0 0; }
`;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  const players = make("div", "players");
  const box = scroll(words.track);
  const show = (step) => {
    const frame = log.frames[step];
    players.replaceChildren(...log.seats.map((seat, number) => player(words, language, frame, seat.name, number)));
    box.replaceChildren(track(frame, log));
    const front = Math.max(...frame.track.map(([square]) => square));
    box.scrollLeft = ((front + 0.5) / (LAST_SQUARE + 1)) * box.scrollWidth - box.clientWidth / 2; // on a phone
    return sentence(words, language, log, step);
  };
  const legend = make("p", "legend small", `▢ ${words.waits} · ${FINISH}: ${words.finish}`);
  const parts = [players, box, legend];
  stage(element, language, { style: STYLE, step: words.step, last: log.frames.length - 1, parts, show });
}

function player(words, language, frame, name, number) {
  const box = make("div", frame.seat === number ? "player moving" : "player");
  const coins = make("div", "coins");
  coins.append(make("b", "", frame.coins[number]), ` ${plural(language, frame.coins[number], words.coins)}`);
  box.append(make("div", "name", name), coins);
  return box;
}

// The squares from left to right, the camels of each stacked up; a trap says whose it is.
function track(frame, log) {
  const box = make("div", "track");
  for (let number = 0; number <= LAST_SQUARE; number += 1) {
    const square = make("div", number >= FINISH ? "square end" : "square");
    const stack = make("div", "stack");
    for (const camel of frame.track.find(([at]) => at === number)?.[1] ?? []) {
      stack.append(make("div", `camel c${camel}${frame.waiting[camel] ? " waits" : ""}`, camel));
    }
    square.append(stack);
    const trap = frame.traps.find(([at]) => at === number);
    if (trap) square.append(make("div", "trap", `${trap[1] > 0 ? "+1" : "−1"} ${log.seats[trap[2]].name.slice(0, 8)}`));
    square.append(make("div", "number", number));
    box.append(square);
  }
  return box;
}

// What the turn was; its faults; the end of a round; after the last turn, who has won.
function sentence(words, language, log, step) {
  const frame = log.frames[step];
  if (step === 0) return [words.start];
  const name = (seat) => log.seats[seat].name;
  const [kind, ...values] = frame.action;
  const parts = [`${words.step} ${frame.turn}: `];
  if (kind === 0) parts.push(words.rolls(name(frame.seat), frame.rolled[0], frame.rolled[1]));
  if (kind === 0 && frame.rolled[2] !== null) parts.push(" ", words.trapped(name(frame.rolled[2])));
  if (kind === 1) parts.push(words.lays(name(frame.seat), values[1], values[0] > 0 ? "+1" : "−1"));
  if (kind > 1) parts.push([words.bets, words.wins, words.loses][kind - 2](name(frame.seat), values[0]));
  parts.push(...faults(log, language, (fault) => fault.step === step - 1));
  const last = step === log.frames.length - 1;
  if (frame.round) {
    parts.push(make("br"), words.round(frame.round[0], frame.round[1]));
    const paid = [...ofRound(log, step), ...(last ? ofGame(log) : [])];
    if (paid.length) parts.push(make("br"), paid.map((each) => words.paid(name(each.seat), each.coins, each.camel, words.kinds[each.kind])).join(" · "));
  }
  if (!last) return parts;
  return [...parts, ...outcome(log, language, words.shared)];
}

// ---- what bets earn, as in bets.py ----

const ROUND = 2;
const WINNER = 3;
const LOSER = 4;

// The bets of frames from..to, in the order made.
function betsOf(log, from, to, kinds) {
  const bets = log.frames.slice(from, to + 1).filter((frame) => frame.action && kinds.includes(frame.action[0]));
  return bets.map((frame) => ({ kind: frame.action[0], camel: frame.action[1], seat: frame.seat }));
}

// right: the scale of a right bet, {steps, rest}; each earns the next step, then the rest. A wrong one costs a coin.
function payouts(bets, right) {
  const counts = new Map();
  return bets.map((bet) => {
    const scale = right(bet);
    if (!scale) return { ...bet, coins: -1 };
    const place = counts.get(scale) ?? 0;
    counts.set(scale, place + 1);
    return { ...bet, coins: scale.steps[place] ?? scale.rest };
  });
}

function ofRound(log, step) {
  const [first, second] = log.frames[step].round;
  let from = step;
  while (from > 1 && !log.frames[from - 1].round) from -= 1;
  const scales = { [first]: { steps: [5, 3, 2, 1], rest: 0 }, [second]: { steps: [1, 1, 1], rest: 0 } };
  return payouts(betsOf(log, from, step, [ROUND]), (bet) => scales[bet.camel]);
}

function ofGame(log) {
  const ranking = log.frames.at(-1).round;
  return [[WINNER, ranking[0]], [LOSER, ranking.at(-1)]].flatMap(([kind, camel]) => {
    const scale = { steps: [8, 5, 3, 1], rest: 1 };
    return payouts(betsOf(log, 1, log.frames.length - 1, [kind]), (bet) => (bet.camel === camel ? scale : null));
  });
}
