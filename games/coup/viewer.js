// Replay of a match of Coup: `view(element, log, language)` draws it into `element`.
//
// The stage, its controls and all else that viewers share is in replay.js. Names and reasons come from bots: they are
// put in as text, never as HTML.
// log.frames[0] is the deal, frame n what the n-th call led to; see referee.py for what a frame holds.

import { choose, faults, make, outcome, plural, stage } from "/static/js/replay.js";

const WORDS = {
  en: {
    cards: { "~": "Ambassador", "^": "Assassin", "*": "Captain", "!": "Contessa", $: "Duke" },
    step: "Call", history: "History", nobody: "Nobody wins.", limit: "Nobody wins: 200 calls are over.", lost: "given up",
    coins: { one: "coin", other: "coins" },
    deal: () => "The cards are dealt.",
    income: (who) => `${who} takes income.`,
    foreign_aid: (who) => `${who} asks for foreign aid.`,
    coup: (who) => `${who} stages a coup.`,
    exchange: (who) => `${who} claims the Ambassador: exchange.`,
    tax: (who) => `${who} claims the Duke: tax.`,
    assassinate: (who) => `${who} claims the Assassin: a killing.`,
    steal: (who) => `${who} claims the Captain: theft.`,
    block: (who, card) => `${who} claims ${card} to block.`,
    challenge: (who) => `${who} challenges.`,
    pass: (who) => `${who} lets it pass.`,
    show: (who, card) => `${who} shows ${card}.`,
    give_up: (who, card) => `${who} gives up ${card}.`,
    end_turn: (who) => `${who} ends the turn.`,
    lie: "a lie",
  },
  ja: {
    cards: { "~": "大使", "^": "暗殺者", "*": "船長", "!": "女伯", $: "公爵" },
    step: "呼び出し", history: "履歴", nobody: "勝者なし。", limit: "呼び出しが200回に達し、勝者なし。", lost: "失ったカード",
    coins: { other: "コイン" },
    deal: () => "カードが配られました。",
    income: (who) => `${who}:収入を得る。`,
    foreign_aid: (who) => `${who}:対外援助を求める。`,
    coup: (who) => `${who}:クーを起こす。`,
    exchange: (who) => `${who}:大使を宣言し、交換。`,
    tax: (who) => `${who}:公爵を宣言し、税を取る。`,
    assassinate: (who) => `${who}:暗殺者を宣言し、暗殺。`,
    steal: (who) => `${who}:船長を宣言し、窃盗。`,
    block: (who, card) => `${who}:${card}を宣言し、ブロック。`,
    challenge: (who) => `${who}:チャレンジ。`,
    pass: (who) => `${who}:見送る。`,
    show: (who, card) => `${who}:${card}を公開。`,
    give_up: (who, card) => `${who}:${card}を失う。`,
    end_turn: (who) => `${who}:手番を終える。`,
    lie: "嘘",
  },
  ru: {
    cards: { "~": "Посол", "^": "Ассасин", "*": "Капитан", "!": "Графиня", $: "Герцог" },
    step: "Вызов", history: "История", nobody: "Никто не победил.", limit: "Никто не победил: 200 вызовов прошли.", lost: "сброшена",
    coins: { one: "монета", few: "монеты", many: "монет", other: "монеты" },
    deal: () => "Карты розданы.",
    income: (who) => `${who}: доход.`,
    foreign_aid: (who) => `${who} просит иностранную помощь.`,
    coup: (who) => `${who} устраивает переворот.`,
    exchange: (who) => `${who} заявляет посла: обмен.`,
    tax: (who) => `${who} заявляет герцога: налог.`,
    assassinate: (who) => `${who} заявляет ассасина: убийство.`,
    steal: (who) => `${who} заявляет капитана: кража.`,
    block: (who, card) => `${who} блокирует. Заявлена карта: ${card}.`,
    challenge: (who) => `${who} оспаривает.`,
    pass: (who) => `${who} пропускает.`,
    show: (who, card) => `${who} предъявляет карту: ${card}.`,
    give_up: (who, card) => `${who} теряет карту: ${card}.`,
    end_turn: (who) => `${who} заканчивает ход.`,
    lie: "ложь",
  },
};

const CLAIMED = { exchange: "~", tax: "$", assassinate: "^", steal: "*" };

const STYLE = `
  .table { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 1rem; }
  .player { padding: 0.8rem; border: 2px solid var(--line, #ccc); border-radius: 0.5rem; min-width: 0; }
  .player.moving { border-color: var(--accent, #a4390f); }
  .coins { margin: 0.3rem 0 0.6rem; color: var(--muted, #666); }
  .coins b { color: var(--ink, #000); font-size: 1.3em; }
  .cards { display: flex; flex-wrap: wrap; gap: 0.5rem; min-height: 4.6rem; }
  .card { display: grid; place-content: center; gap: 0.1rem; width: 5.6rem; height: 4.4rem; text-align: center;
    font-size: 0.85rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem; background: var(--sunken, #f2eee6); }
  .card b { font: 700 1.3rem var(--mono, monospace); }
  .card.gone { opacity: 0.6; border-style: dashed; }
  .card.gone span { text-decoration: line-through; }
  .lie { margin-left: 0.5em; padding: 0.1em 0.5em; border-radius: 1em; font-size: 0.8em;
    background: var(--warn-soft, #fcf0d6); color: var(--warn, #825300); }
  .history { margin: 0.5rem 0 0; font-family: var(--mono, monospace); overflow-wrap: anywhere; color: var(--muted, #666); }
`;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  const table = make("div", "table");
  const history = make("p", "history");
  const show = (step) => {
    const frame = log.frames[step];
    if (!frame) return end(words, language, log); // a bot could not be started: no card was dealt
    table.replaceChildren(...log.seats.map((seat, number) => player(words, language, frame, seat.name, number)));
    const moves = log.frames.slice(1, step + 1).map((each) => each.move);
    history.textContent = `${words.history}: ${moves.join("").replaceAll("\n", " ⏎ ")}`;
    return sentence(words, language, log, step);
  };
  const last = Math.max(0, log.frames.length - 1);
  stage(element, language, { style: STYLE, step: words.step, last, parts: [table, history], show });
}

function player(words, language, frame, name, number) {
  const box = make("div", frame.seat === number ? "player moving" : "player");
  const coins = make("div", "coins");
  coins.append(make("b", "", frame.coins[number]), ` ${plural(language, frame.coins[number], words.coins)}`);
  const cards = make("div", "cards");
  for (const letter of frame.hands[number]) cards.append(card(words, letter, ""));
  for (const letter of frame.lost[number]) cards.append(card(words, letter, words.lost));
  box.append(make("div", "name", name), coins, cards);
  return box;
}

function card(words, letter, lost) {
  const box = make("div", lost ? "card gone" : "card");
  box.append(make("b", "", letter), make("span", "", words.cards[letter] ?? letter));
  if (lost) box.title = lost;
  return box;
}

// What happened at this step; a claim of a card that is not held is marked, a fault and the result follow the last one.
function sentence(words, language, log, step) {
  const frame = log.frames[step];
  const who = log.seats[frame.seat]?.name ?? "";
  const tell = Object.hasOwn(words, frame.event) ? words[frame.event] : null;
  const parts = [typeof tell === "function" ? tell(who, words.cards[frame.card] ?? "") : String(frame.event)];
  const claimed = frame.event === "block" ? frame.card : CLAIMED[frame.event];
  if (claimed && !frame.hands[frame.seat].includes(claimed)) parts.push(make("span", "lie", words.lie));
  if (step < log.frames.length - 1) return parts;
  return [...parts, ...end(words, language, log)];
}

function end(words, language, log) {
  const nobody = log.summary.end === "limit" ? words.limit : words.nobody;
  return [...faults(log, language, () => true), ...outcome(log, language, () => nobody)];
}
