// Replay of a match of Camel Up: `view(element, record, language)` draws it into `element`.
//
// Everything is drawn inside a shadow root with a style sheet of its own, which takes the page's colours from its
// custom properties. Whatever comes from a record is put in as text, never as HTML: bots choose their names.
// record.frames[0] is the start, frame n what turn n led to; see referee.py. Game bets are hidden from the others
// during the game, but not here.

const WORDS = {
  en: {
    first: "First", back: "Back", play: "Play", pause: "Pause", next: "Next", last: "Last", step: "Turn",
    start: "The camels are at the start.", coins: "coins", waits: "has not moved in this round", finish: "finish",
    rolls: (who, camel, die) => `${who} rolls: camel ${camel} moves ${die}.`, trapped: (owner) => `A trap of ${owner}!`,
    lays: (who, square, kind) => `${who} lays a trap (${kind}) on square ${square}.`,
    bets: (who, camel) => `${who} bets on camel ${camel} to win the round.`,
    wins: (who, camel) => `${who} bets on camel ${camel} to win the game.`,
    loses: (who, camel) => `${who} bets on camel ${camel} to come last.`,
    round: (first, second) => `The round ends: camel ${first} is first, camel ${second} second.`,
    won: "wins", shared: "share the win",
  },
  ja: {
    first: "最初", back: "戻る", play: "再生", pause: "一時停止", next: "進む", last: "最後", step: "手番",
    start: "ラクダがスタートに並びました。", coins: "コイン", waits: "このラウンドではまだ動いていません", finish: "ゴール",
    rolls: (who, camel, die) => `${who}がサイコロを振り、ラクダ${camel}が${die}進みます。`, trapped: (owner) => `${owner}のトラップです。`,
    lays: (who, square, kind) => `${who}がマス${square}にトラップ(${kind})を置きます。`,
    bets: (who, camel) => `${who}がラクダ${camel}のラウンド1位に賭けます。`,
    wins: (who, camel) => `${who}がラクダ${camel}の優勝に賭けます。`,
    loses: (who, camel) => `${who}がラクダ${camel}の最下位に賭けます。`,
    round: (first, second) => `ラウンド終了。1位はラクダ${first}、2位はラクダ${second}です。`,
    won: "の勝ち", shared: "が勝ちを分け合います",
  },
  ru: {
    first: "В начало", back: "Назад", play: "Смотреть", pause: "Пауза", next: "Вперёд", last: "В конец", step: "Ход",
    start: "Верблюды на старте.", coins: "монеты", waits: "в этом раунде ещё не ходил", finish: "финиш",
    rolls: (who, camel, die) => `${who} бросает кубик: верблюд ${camel} идёт на ${die}.`, trapped: (owner) => `Ловушка: ${owner}!`,
    lays: (who, square, kind) => `${who} ставит ловушку (${kind}) на клетку ${square}.`,
    bets: (who, camel) => `${who} ставит на верблюда ${camel}: победа в раунде.`,
    wins: (who, camel) => `${who} ставит на верблюда ${camel}: победа в игре.`,
    loses: (who, camel) => `${who} ставит на верблюда ${camel}: последнее место.`,
    round: (first, second) => `Раунд окончен: первый верблюд ${first}, второй ${second}.`,
    won: "побеждает", shared: "делят победу",
  },
};

const FINISH = 16;
const LAST_SQUARE = 19;

const STYLE = `
  :host { display: block; }
  .players { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.7rem; margin-bottom: 0.9rem; }
  .player { padding: 0.6rem 0.8rem; border: 2px solid var(--line, #ccc); border-radius: 0.5rem; min-width: 0; }
  .player.moving { border-color: var(--accent, #a4390f); }
  .name { font-weight: 600; overflow-wrap: anywhere; }
  .coins b { font-size: 1.3em; font-variant-numeric: tabular-nums; }
  .small { font-size: 0.85em; color: var(--muted, #666); }
  .says { min-height: 3em; margin: 0 0 0.5rem; font-size: 1.05em; overflow-wrap: anywhere; }
  .scroll { overflow-x: auto; }
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
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin-bottom: 0.9rem; }
  button { min-width: 2.6rem; min-height: 2.4rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem;
    background: transparent; color: inherit; font: inherit; cursor: pointer; }
  button:disabled { opacity: 0.45; cursor: default; }
  input { flex: 1 1 4rem; min-width: 3rem; accent-color: var(--accent, #a4390f); }
  output { min-width: 4em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted, #666); }
`;

export default function view(element, record, language) {
  const words = WORDS[String(language).slice(0, 2)] ?? WORDS.en;
  const players = make("div", "players");
  const scroll = make("div", "scroll");
  const says = make("p", "says");
  says.setAttribute("aria-live", "polite");
  const show = (step) => {
    const frame = record.frames[step];
    players.replaceChildren(...record.seats.map((seat, number) => player(words, frame, seat.name, number)));
    scroll.replaceChildren(track(frame, record));
    says.replaceChildren(...sentence(words, record, step));
  };
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const legend = make("p", "legend small", `▢ ${words.waits} · ${FINISH}: ${words.finish}`);
  root.replaceChildren(controls(words, record.frames.length - 1, show, element), says, players, scroll, legend);
}

function player(words, frame, name, number) {
  const box = make("div", frame.seat === number ? "player moving" : "player");
  const coins = make("div", "coins");
  coins.append(make("b", "", frame.coins[number]), ` ${words.coins}`);
  box.append(make("div", "name", name), coins);
  return box;
}

// The squares from left to right, the camels of each stacked up; a trap says whose it is.
function track(frame, record) {
  const box = make("div", "track");
  for (let number = 0; number <= LAST_SQUARE; number += 1) {
    const square = make("div", number >= FINISH ? "square end" : "square");
    const stack = make("div", "stack");
    for (const camel of frame.track.find(([at]) => at === number)?.[1] ?? []) {
      stack.append(make("div", `camel c${camel}${frame.waiting[camel] ? " waits" : ""}`, camel));
    }
    square.append(stack);
    const trap = frame.traps.find(([at]) => at === number);
    if (trap) square.append(make("div", "trap", `${trap[1] > 0 ? "+1" : "−1"} ${record.seats[trap[2]].name.slice(0, 8)}`));
    square.append(make("div", "number", number));
    box.append(square);
  }
  return box;
}

// What the turn was; its faults; the end of a round; after the last turn, who has won.
function sentence(words, record, step) {
  const frame = record.frames[step];
  if (step === 0) return [words.start];
  const name = (seat) => record.seats[seat].name;
  const [kind, ...values] = frame.action;
  const parts = [`${words.step} ${frame.turn}: `];
  if (kind === 0) parts.push(words.rolls(name(frame.seat), frame.rolled[0], frame.rolled[1]));
  if (kind === 0 && frame.rolled[2] !== null) parts.push(" ", words.trapped(name(frame.rolled[2])));
  if (kind === 1) parts.push(words.lays(name(frame.seat), values[1], values[0] > 0 ? "+1" : "−1"));
  if (kind > 1) parts.push([words.bets, words.wins, words.loses][kind - 2](name(frame.seat), values[0]));
  for (const fault of record.faults) {
    if (fault.turn === step - 1) parts.push(make("br"), `${name(fault.seat)}: ${fault.reason}`);
  }
  if (frame.round) parts.push(make("br"), words.round(frame.round[0], frame.round[1]));
  if (step < record.frames.length - 1) return parts;
  const best = record.seats.filter((_, seat) => record.ranks[seat] === 1).map((seat) => seat.name);
  parts.push(make("br"), make("strong", "", `${best.join(", ")} ${best.length > 1 ? words.shared : words.won}`));
  return parts;
}

// Buttons and a slider over the steps 0 to `last`.
function controls(words, last, show, element) {
  const bar = make("div", "controls");
  const slider = Object.assign(make("input"), { type: "range", min: 0, max: last, value: 0 });
  slider.setAttribute("aria-label", words.step);
  const place = make("output");
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    label(play, "▶", words.play);
  };
  const go = (step) => {
    slider.value = Math.min(last, Math.max(0, step));
    place.textContent = `${slider.value} / ${last}`;
    first.disabled = back.disabled = slider.valueAsNumber === 0;
    next.disabled = end.disabled = slider.valueAsNumber === last;
    show(slider.valueAsNumber);
  };
  const button = (sign, name, action) => {
    const made = label(make("button"), sign, name);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  };
  const jump = (step) => () => {
    stop();
    go(step());
  };
  const first = button("«", words.first, jump(() => 0));
  const back = button("‹", words.back, jump(() => slider.valueAsNumber - 1));
  const next = button("›", words.next, jump(() => slider.valueAsNumber + 1));
  const end = button("»", words.last, jump(() => last));
  const play = button("▶", words.play, () => {
    if (timer) return stop();
    if (slider.valueAsNumber === last) go(0);
    label(play, "⏸", words.pause);
    timer = setInterval(() => {
      if (!element.isConnected || slider.valueAsNumber === last) return stop();
      go(slider.valueAsNumber + 1);
    }, 900);
  });
  slider.addEventListener("input", jump(() => slider.valueAsNumber));
  bar.append(first, back, play, next, end, slider, place);
  go(0);
  return bar;
}

function label(button, sign, name) {
  button.textContent = sign;
  button.title = name;
  button.setAttribute("aria-label", name);
  return button;
}

function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}
