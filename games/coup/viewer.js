// Replay of a match of Coup: `view(element, record, language)` draws it into `element`.
//
// Everything is drawn inside a shadow root with a style sheet of its own, which takes the page's colours from its
// custom properties. Whatever comes from a record is put in as text, never as HTML: bots choose their names.
// record.frames[0] is the deal, frame n what the n-th call led to; see referee.py for what a frame holds.

const WORDS = {
  en: {
    cards: { "~": "Ambassador", "^": "Assassin", "*": "Captain", "!": "Contessa", $: "Duke" },
    first: "First", back: "Back", play: "Play", pause: "Pause", next: "Next", last: "Last", step: "Call",
    coins: "coins", history: "History", won: "wins", nobody: "Nobody wins: 200 calls are over.", lost: "given up",
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
    first: "最初", back: "戻る", play: "再生", pause: "一時停止", next: "進む", last: "最後", step: "呼び出し",
    coins: "コイン", history: "履歴", won: "の勝ち", nobody: "呼び出しが200回に達し、勝者なし。", lost: "失ったカード",
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
    first: "В начало", back: "Назад", play: "Смотреть", pause: "Пауза", next: "Вперёд", last: "В конец", step: "Вызов",
    coins: "монеты", history: "История", won: "побеждает", nobody: "Никто не победил: 200 вызовов прошли.", lost: "сброшена",
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
  :host { display: block; }
  .table { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 1rem; }
  .player { padding: 0.8rem; border: 2px solid var(--line, #ccc); border-radius: 0.5rem; min-width: 0; }
  .player.moving { border-color: var(--accent, #a4390f); }
  .name { font-weight: 600; overflow-wrap: anywhere; }
  .coins { margin: 0.3rem 0 0.6rem; color: var(--muted, #666); }
  .coins b { color: var(--ink, #000); font-size: 1.3em; }
  .cards { display: flex; flex-wrap: wrap; gap: 0.5rem; min-height: 4.6rem; }
  .card { display: grid; place-content: center; gap: 0.1rem; width: 5.6rem; height: 4.4rem; text-align: center;
    font-size: 0.85rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem; background: var(--sunken, #f2eee6); }
  .card b { font: 700 1.3rem var(--mono, monospace); }
  .card.gone { opacity: 0.6; border-style: dashed; }
  .card.gone span { text-decoration: line-through; }
  .says { min-height: 3em; margin: 0.9rem 0 0.5rem; font-size: 1.05em; overflow-wrap: anywhere; }
  .lie { margin-left: 0.5em; padding: 0.1em 0.5em; border-radius: 1em; font-size: 0.8em;
    background: var(--warn-soft, #fcf0d6); color: var(--warn, #825300); }
  .history { margin: 0.5rem 0 0; font-family: var(--mono, monospace); overflow-wrap: anywhere; color: var(--muted, #666); }
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin-bottom: 0.9rem; }
  button { min-width: 2.6rem; min-height: 2.4rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem;
    background: transparent; color: inherit; font: inherit; cursor: pointer; }
  button:disabled { opacity: 0.45; cursor: default; }
  input { flex: 1 1 4rem; min-width: 3rem; accent-color: var(--accent, #a4390f); }
  output { min-width: 4em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted, #666); }
`;

export default function view(element, record, language) {
  const words = WORDS[String(language).slice(0, 2)] ?? WORDS.en;
  const table = make("div", "table");
  const says = make("p", "says");
  says.setAttribute("aria-live", "polite");
  const history = make("p", "history");
  const show = (step) => {
    const frame = record.frames[step];
    table.replaceChildren(...record.seats.map((seat, number) => player(words, frame, seat.name, number)));
    says.replaceChildren(...sentence(words, record, step));
    const moves = record.frames.slice(1, step + 1).map((each) => each.move);
    history.textContent = `${words.history}: ${moves.join("").replaceAll("\n", " ⏎ ")}`;
  };
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  root.replaceChildren(controls(words, record.frames.length - 1, show, element), table, says, history);
}

function player(words, frame, name, number) {
  const box = make("div", frame.seat === number ? "player moving" : "player");
  const coins = make("div", "coins");
  coins.append(make("b", "", frame.coins[number]), ` ${words.coins}`);
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
function sentence(words, record, step) {
  const frame = record.frames[step];
  const who = record.seats[frame.seat]?.name ?? "";
  const tell = Object.hasOwn(words, frame.event) ? words[frame.event] : null;
  const parts = [typeof tell === "function" ? tell(who, words.cards[frame.card] ?? "") : String(frame.event)];
  const claimed = frame.event === "block" ? frame.card : CLAIMED[frame.event];
  if (claimed && !frame.hands[frame.seat].includes(claimed)) parts.push(make("span", "lie", words.lie));
  if (step < record.frames.length - 1) return parts;
  for (const fault of record.faults) parts.push(` ${record.seats[fault.seat]?.name}: ${fault.reason}.`);
  const winner = record.ranks.filter((rank) => rank === 1).length === 1 ? record.ranks.indexOf(1) : -1;
  parts.push(make("br"), make("strong", "", winner < 0 ? words.nobody : `${record.seats[winner].name} ${words.won}`));
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
