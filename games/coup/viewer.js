// Replay of a match of Coup: `view(element, log, language)` draws it into `element`.
//
// log.frames[0] is the deal, frame n what the n-th call led to; see referee.py for what a frame holds. Spectators see
// both hands, so a claim of a card that is not held is marked as a bluff. Bubbles hold what each player has said since
// the turn began.

import { change, choose, draw, make, plural, seatClass, seatName, stage } from "/static/js/replay.js";

const WORDS = {
  en: {
    cards: { "~": "Ambassador", "^": "Assassin", "*": "Captain", "!": "Contessa", $: "Duke" },
    step: "Call", lost: "lost", covered: "covered card", coins: { one: "coin", other: "coins" }, deck: "court deck", turn: "on turn", bluff: "bluff",
    standing: "Coins, and 7 for each card", history: "History file", nobody: "Nobody wins.", limit: "Nobody wins: 200 calls are over.",
    said: {
      income: "Income: 1 coin.", foreign_aid: "Foreign aid: 2 coins.", coup: "Coup! 7 coins.", exchange: "I am the Ambassador: exchange.",
      tax: "I am the Duke: tax.", assassinate: "I am the Assassin: I kill.", steal: "I am the Captain: I steal.",
      challenge: "I don’t believe it!", pass: "Go ahead.", end_turn: "Done.",
    },
    block: (card) => `I am the ${card}: blocked.`, show: (card) => `Here is the ${card}!`, give_up: (card) => `I lose the ${card}.`,
  },
  ja: {
    cards: { "~": "大使", "^": "暗殺者", "*": "船長", "!": "女伯爵", $: "公爵" },
    step: "呼び出し", lost: "喪失", covered: "伏せたカード", coins: { other: "コイン" }, deck: "山札", turn: "手番", bluff: "はったり",
    standing: "コイン＋カード1枚につき7", history: "履歴ファイル", nobody: "勝者なし。", limit: "呼び出しが200回に達し、勝者なし。",
    said: {
      income: "収入、1コイン。", foreign_aid: "対外援助、2コイン。", coup: "クーデター！7コイン。", exchange: "私は大使、交換する。",
      tax: "私は公爵、税を取る。", assassinate: "私は暗殺者、始末する。", steal: "私は船長、奪う。",
      challenge: "信じない！", pass: "どうぞ。", end_turn: "終わり。",
    },
    block: (card) => `私は${card}、阻止する。`, show: (card) => `これが${card}だ！`, give_up: (card) => `${card}を失う。`,
  },
  ru: {
    cards: { "~": "Посол", "^": "Ассасин", "*": "Капитан", "!": "Графиня", $: "Герцог" },
    step: "Вызов", lost: "потеряна", covered: "закрытая карта", coins: { one: "монета", few: "монеты", many: "монет", other: "монеты" }, deck: "колода",
    turn: "ходит", bluff: "блеф", standing: "Монеты и по 7 за карту", history: "Файл истории", nobody: "Никто не победил.", limit: "Никто не победил: сделано 200 вызовов.",
    said: {
      income: "Доход: 1 монета.", foreign_aid: "Иностранная помощь: 2 монеты.", coup: "Переворот! 7 монет.", exchange: "Я посол: обмен.",
      tax: "Я герцог: налог.", assassinate: "Я ассасин: убиваю.", steal: "Я капитан: краду.",
      challenge: "Не верю!", pass: "Пусть так.", end_turn: "Ход окончен.",
    },
    block: (card) => `Блокирую. Моя карта: ${card}.`, show: (card) => `Вот карта: ${card}!`, give_up: (card) => `Теряю карту: ${card}.`,
  },
};

const CLAIMED = { exchange: "~", tax: "$", assassinate: "^", steal: "*" };
const CARDS_IN_ALL = 15;
const HIDDEN = "?"; // a card in a hand, while the match is played: see public.py
const LOUD = ["coup", "challenge", "show", "give_up"];

// The roles' motifs, drawn in 60 x 60: a sealed scroll, a dagger, an anchor, a rose, a crown.
const MOTIFS = {
  "~": ["duty", "M14 12h28a5 5 0 0 1 5 5v29H19a5 5 0 0 1-5-5zM14 12a5 5 0 0 0-5 5v3h5M22 22h17M22 29h17M22 36h8M41 37a6 6 0 1 1-.01 0zM38 48l-2 8 5-3 5 3-2-8"],
  "^": ["blade", "M30 4l6 10-2 24h-8l-2-24zM30 10v26M16 38h28M18 36v5M42 36v5M27 40h6v12h-6zM30 52a3 3 0 1 1-.01 0z"],
  "*": ["sea", "M30 5a5 5 0 1 1-.01 0zM30 15v38M19 22h22M9 36c2 11 9 17 21 17s19-6 21-17M9 36l-4 6M9 36l7 4M51 36l4 6M51 36l-7 4"],
  "!": ["rose", "M30 8c9 0 15 6 15 14s-6 15-15 15-15-7-15-15S21 8 30 8zM30 16c4 0 7 3 7 6s-3 7-7 7-7-3-7-6 3-5 6-5 4 2 4 4M30 37v19M30 48c-7 0-10-3-11-8 7 0 10 3 11 8zM30 52c6 0 9-3 10-7-6 0-9 3-10 7z"],
  $: ["crown", "M8 46l-3-26 13 11L30 9l12 22 13-11-3 26zM8 52h44M30 9a3 3 0 1 1-.01 0M5 20a2 2 0 1 1-.01 0M55 20a2 2 0 1 1-.01 0M22 40h1M30 38h1M38 40h1"],
};

const STYLE = `
  .room { display: grid; gap: 0.6rem 0.8rem; grid-template: auto auto auto 1fr / minmax(0, 1fr) auto minmax(0, 1fr); }
  .player { display: grid; grid-row: 1 / span 4; grid-template-rows: subgrid; grid-template-columns: minmax(0, 1fr); min-width: 0; padding: 0.9rem; border: 2px solid var(--line, #ccc); border-radius: 0.75rem;
    background: radial-gradient(120% 90% at 50% 110%, color-mix(in srgb, var(--seat) 16%, transparent), transparent), var(--surface, #fff); }
  .player.turn { border-color: var(--seat); }
  .head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.3rem 0.6rem; align-items: baseline; }
  .on { padding: 0 0.5em; border-radius: 1em; font-size: 0.8rem; background: var(--seat); color: var(--surface, #fff); visibility: hidden; } .turn .on { visibility: visible; }
  .cards { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.6rem; min-height: 9.2rem; }
  .card { width: 6.4rem; height: 9rem; filter: drop-shadow(0 2px 3px rgb(0 0 0 / 25%)); }
  .card .face { fill: light-dark(#fffdf6, #2b2722); stroke: var(--role); stroke-width: 2.5; }
  .card .frame { fill: color-mix(in srgb, var(--role) 14%, transparent); stroke: var(--role); stroke-width: 0.8; }
  .motif { fill: color-mix(in srgb, var(--role) 18%, transparent); stroke: var(--role); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
  .card text { fill: var(--role); font: 700 11px var(--sans, sans-serif); text-anchor: middle; }
  .card .letter { font: 700 15px var(--mono, monospace); }
  .card.gone { opacity: 0.55; filter: grayscale(0.7); transform: rotate(4deg) scale(0.9); } .card .cross { stroke: var(--bad, #ad0f3c); stroke-width: 5; stroke-linecap: round; }
  .duty { --role: light-dark(#1d6b45, #7cd6a6); } .blade { --role: light-dark(#3a3a44, #c9c9d6); } .sea { --role: light-dark(#1b5c9e, #84bdf5); }
  .rose { --role: light-dark(#ab1d3f, #ff93a8); } .crown { --role: light-dark(#6b3d99, #cfa8f5); }
  .purse { display: flex; align-items: center; gap: 0.5rem; min-height: 2rem; }
  .purse svg { flex: 0 1 auto; min-width: 0; height: 1.7rem; } .purse span { white-space: nowrap; } .purse b { font-size: 1.25rem; font-variant-numeric: tabular-nums; }
  .coin { fill: light-dark(#e8bb45, #d9a92f); stroke: light-dark(#8a6100, #5c4100); stroke-width: 1.4; }
  .coin-mark { fill: none; stroke: light-dark(#8a6100, #5c4100); stroke-width: 1.2; }
  .talk { display: grid; gap: 0.35rem; align-content: start; height: 8rem; overflow: hidden; } .bubble:not(:nth-last-child(-n + 3)) { display: none; }
  .bubble { justify-self: start; display: inline-flex; align-items: center; gap: 0.45rem; max-width: 100%; padding: 0.3rem 0.75rem; border-radius: 0.3rem 1rem 1rem 1rem;
    border: 1px solid var(--line-strong, #888); background: var(--surface, #fff); overflow-wrap: anywhere; opacity: 0.75; }
  .bubble.now { opacity: 1; border-width: 2px; border-color: var(--seat); font-weight: 600; } .bubble.loud { background: color-mix(in srgb, var(--seat) 14%, var(--surface, #fff)); }
  .bubble svg { flex: none; width: 1.5rem; height: 1.5rem; }
  .bluff { flex: none; padding: 0 0.5em; border-radius: 1em; font-size: 0.8rem; background: var(--warn-soft, #fcf0d6); color: var(--warn, #825300); border: 1px dashed currentColor; }
  .middle { grid-row: 1 / span 4; display: grid; align-content: center; justify-items: center; gap: 0.3rem; min-width: 5rem; }
  .deck { width: 4.4rem; } .deck rect, .card.back rect { fill: light-dark(#74312c, #5d2723); stroke: light-dark(#fffdf6, #191815); stroke-width: 1.5; } .deck path, .card.back path { fill: none; stroke: light-dark(#e3b65c, #c89a40); stroke-width: 1.5; }
  .history { margin: 0.7rem 0 0; font: 0.8125rem/1.5 var(--mono, monospace); overflow-wrap: anywhere; color: var(--muted, #666); height: 3em; overflow-y: auto; }
  @container (width < 46rem) {
    .room { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.5rem; } .middle { grid-column: 1 / -1; grid-row: 5; display: flex; justify-content: center; }
    .deck { width: 2rem; } .player { padding: 0.55rem; } .card { width: calc(50% - 0.2rem); max-width: 6.4rem; height: auto; } .cards { gap: 0.3rem; min-height: 6.6rem; align-items: center; } .purse { gap: 0.3rem; } .talk { height: 5.2rem; } .bubble:not(:nth-last-child(-n + 2)) { display: none; }
  }
  @container (width < 34rem) {
    .talk { height: 8.6rem; }
    .bubble { display: block; font-size: 0.8125rem; line-height: 1.3; padding: 0.2rem 0.5rem; } .bubble svg { width: 1.1rem; height: 1.1rem; margin-inline-end: 0.3rem; vertical-align: bottom; } .bluff { display: inline-block; }
  }
  /* on the home page, in a place that is higher than wide: one above the other, the words beside the cards */
  :host([data-play]) .room { grid-template: none; grid-auto-columns: minmax(0, 1fr); } :host([data-play]) :is(.player, .middle) { grid-area: auto; }
  :host([data-play]) .player { align-content: start; grid-template: "cards head" auto "cards purse" auto "cards talk" 1fr / auto minmax(0, 1fr); gap: 0.4rem 0.8rem; }
  :host([data-play]) .cards { grid-area: cards; flex-wrap: nowrap; gap: 0.3rem; min-height: 0; } :host([data-play]) .card { width: 23cqi; max-width: none; height: auto; }
  :host([data-play]) .head { grid-area: head; } :host([data-play]) .purse { grid-area: purse; } :host([data-play]) .talk { grid-area: talk; height: auto; }
  @container (width < 34rem) { :host([data-play]) .talk { height: 7.2rem; } }
`;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  const room = make("div", "room");
  const history = make("p", "history");
  history.tabIndex = 0;
  history.setAttribute("role", "region");
  history.setAttribute("aria-label", words.history);
  const show = (at, frame) => {
    if (!frame) return; // a bot could not be started: no card was dealt
    const turn = turnOf(log, at);
    const [one, two] = log.seats.map((seat, number) => player(words, language, log, at, number, turn));
    room.replaceChildren(one, middle(words, frame), two);
    const moves = log.frames.slice(1, at + 1).map((each) => each.move);
    history.textContent = moves.join("").replaceAll("\n", " ⏎ ");
    history.scrollTop = history.scrollHeight;
  };
  stage(element, language, { log, style: STYLE, step: words.step, standing: words.standing, drawn: () => words[log.summary.end] ?? words.nobody, parts: [room, history], show });
}

// The calls of the turn that frame `at` is part of: a line of the history file, which a newline ends.
function turnOf(log, at) {
  let from = at;
  while (from > 1 && !log.frames[from - 1].move?.endsWith("\n")) from -= 1;
  return log.frames.slice(Math.max(1, from), at + 1);
}

function player(words, language, log, at, seat, turn) {
  const frame = log.frames[at];
  const onTurn = turn[0]?.seat === seat;
  const box = make("div", `player ${seatClass(seat)}${onTurn ? " turn" : ""}`);
  const head = make("div", "head");
  head.append(seatName(seat, log.seats[seat].name), make("span", "on", words.turn));
  const cards = make("div", "cards");
  for (const letter of frame.hands[seat]) cards.append(letter === HIDDEN ? covered(words) : card(words, letter, false));
  for (const letter of frame.lost[seat]) cards.append(card(words, letter, true));
  [...frame.hands[seat], ...frame.lost[seat]].forEach((letter, place, all) => {
    cards.children[place].dataset.piece = `card ${seat} ${letter} ${all.indexOf(letter) === place}`;
  });
  const talk = make("div", "talk");
  for (const each of turn) if (each.seat === seat) talk.append(bubble(words, each, each === turn.at(-1)));
  talk.childNodes.forEach((each, place) => { each.dataset.piece = `call ${at - turn.length} ${seat} ${place}`; });
  box.append(head, cards, purse(words, language, frame.coins[seat], log.frames[at - 1]?.coins[seat]), talk);
  return box;
}

function card(words, letter, gone) {
  const [role, d] = MOTIFS[letter];
  const name = words.cards[letter];
  const made = draw("svg", { class: `card ${role}${gone ? " gone" : ""}`, viewBox: "0 0 100 140", role: "img" });
  made.setAttribute("aria-label", gone ? `${name} (${words.lost})` : name);
  const motif = draw("path", { class: "motif", d, transform: "translate(17 31) scale(1.1)" });
  made.append(
    draw("rect", { class: "face", x: 2, y: 2, width: 96, height: 136, rx: 9 }),
    draw("rect", { class: "frame", x: 9, y: 9, width: 82, height: 122, rx: 5 }),
    motif, draw("text", { class: "letter", x: 19, y: 26 }, letter), draw("text", { x: 50, y: 122, ...(name.length > 9 ? { textLength: 74, lengthAdjust: "spacingAndGlyphs" } : {}) }, name),
  );
  if (gone) made.append(draw("path", { class: "cross", d: "M18 18l64 104M82 18L18 122" }));
  return made;
}

// A card that spectators do not see while the match is played.
function covered(words) {
  const made = draw("svg", { class: "card back", viewBox: "0 0 100 140", role: "img" });
  made.setAttribute("aria-label", words.covered);
  made.append(draw("rect", { x: 2, y: 2, width: 96, height: 136, rx: 9 }), draw("path", { d: "M50 34l26 36-26 36-26-36zM50 52l13 18-13 18-13-18zM11 11h78v118H11z" }));
  return made;
}

// Coins lie in a row, half covered; the number says how many, and how many more or less than before.
function purse(words, language, count, before) {
  const box = make("div", "purse");
  const row = draw("svg", { viewBox: `0 0 ${24 + 12 * Math.max(0, count - 1)} 26`, "aria-hidden": "true" });
  for (let place = 0; place < count; place += 1) {
    const x = 12 + 12 * place;
    row.append(draw("circle", { class: "coin", cx: x, cy: 13, r: 10.5 }), draw("path", { class: "coin-mark", d: `M${x + 4} 9a5.5 5.5 0 1 0 0 8` }));
  }
  const number = make("span");
  number.append(make("b", "", count), ` ${plural(language, count, words.coins)}`);
  box.append(...(count ? [row] : []), number, change(count, before));
  return box;
}

// What a player says with one call; the motif of a card that is claimed, shown or lost, and whether the claim is a bluff.
function bubble(words, frame, now) {
  const { event, seat } = frame;
  const text = words.said[event] ?? words[event](words.cards[frame.card]);
  const box = make("div", `bubble${now ? " now" : ""}${LOUD.includes(event) ? " loud" : ""}`);
  const claimed = event === "block" ? frame.card : CLAIMED[event];
  const pictured = claimed ?? frame.card;
  if (pictured) box.append(draw("svg", { viewBox: "0 0 60 60", class: MOTIFS[pictured][0], "aria-hidden": "true" }, draw("path", { class: "motif", d: MOTIFS[pictured][1] })));
  box.append(make("span", "", text));
  const hand = frame.hands[seat];
  if (claimed && !hand.includes(claimed) && !hand.includes(HIDDEN)) box.append(make("span", "bluff", words.bluff));
  return box;
}

function middle(words, frame) {
  const box = make("div", "middle");
  const left = CARDS_IN_ALL - [...frame.hands, ...frame.lost].join("").length;
  const deck = draw("svg", { class: "deck", viewBox: "0 0 76 106", "aria-hidden": "true" });
  for (const shift of [8, 4, 0]) deck.append(draw("rect", { x: 1 + shift, y: 1 + shift, width: 66, height: 94, rx: 7 }));
  deck.append(draw("path", { d: "M34 22l18 26-18 26-18-26zM34 34l10 14-10 14-10-14zM8 8h52v80H8z" }));
  box.append(deck, make("span", "small", `${words.deck}: ${left}`));
  return box;
}
