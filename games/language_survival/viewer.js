// Replay of a match of Language Survival: `view(element, record, language)` draws it into `element`.
//
// Everything is drawn inside a shadow root with a style sheet of its own, which takes the page's colours from its
// custom properties. Whatever comes from a record is put in as text, never as HTML: bots choose their names.
// record.frames[0] holds the attention of each language, frame n what turn n led to, the last one the points.

const WORDS = {
  en: {
    first: "First", back: "Back", play: "Play", pause: "Pause", next: "Next", last: "Last", step: "Turn",
    start: "Before the first turn", day: "weekday", night: "holiday", language: "Language", attention: "attention",
    points: "Points", won: "wins", draw: "A draw: nobody wins.",
    legend: "Believers after the turn; in brackets what the players are shown, where it differs; dots are this turn's picks.",
  },
  ja: {
    first: "最初", back: "戻る", play: "再生", pause: "一時停止", next: "進む", last: "最後", step: "ターン",
    start: "最初のターンの前", day: "平日", night: "休日", language: "言語", attention: "注目度",
    points: "得点", won: "の勝ち", draw: "引き分け。勝者なし。",
    legend: "数字はターン終了時の真の信者数。公開の値が異なる場合は括弧内。点はこのターンの布教です。",
  },
  ru: {
    first: "В начало", back: "Назад", play: "Смотреть", pause: "Пауза", next: "Вперёд", last: "В конец", step: "Ход",
    start: "Перед первым ходом", day: "будни", night: "праздник", language: "Язык", attention: "внимание",
    points: "Очки", won: "побеждает", draw: "Ничья: не побеждает никто.",
    legend: "Верующие после хода; в скобках открытое число, если оно другое; точки — проповеди этого хода.",
  },
};

const STYLE = `
  :host { display: block; }
  .scroll { overflow-x: auto; }
  table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.35rem 0.4rem; border-bottom: 1px solid var(--line, #ccc); text-align: left; vertical-align: top; }
  thead th { overflow-wrap: anywhere; min-width: 3.7rem; }
  tbody th { font-weight: 500; }
  .small { font-size: 0.85em; color: var(--muted, #666); }
  td.best { background: var(--good-soft, #e2f3e9); }
  td.worst { background: var(--bad-soft, #fde7ec); }
  .bar { height: 0.35rem; margin: 0.2rem 0; border-radius: 0.2rem; background: var(--line-strong, #888); }
  td.best .bar { background: var(--good, #1a6b40); }
  td.worst .bar { background: var(--bad, #ad0f3c); }
  .picks { color: var(--accent, #a4390f); letter-spacing: 0.1em; }
  .holiday { padding: 0.1em 0.5em; border-radius: 1em; background: var(--info-soft, #e5effa); color: var(--info, #1f5a99); }
  .says { min-height: 3em; margin: 0 0 0.5rem; font-size: 1.05em; overflow-wrap: anywhere; }
  .legend { margin: 0.6rem 0 0; }
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin-bottom: 0.9rem; }
  button { min-width: 2.6rem; min-height: 2.4rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem;
    background: transparent; color: inherit; font: inherit; cursor: pointer; }
  button:disabled { opacity: 0.45; cursor: default; }
  input { flex: 1 1 4rem; min-width: 3rem; accent-color: var(--accent, #a4390f); }
  output { min-width: 4em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted, #666); }
`;

const TURNS = 9;

export default function view(element, record, language) {
  const words = WORDS[String(language).slice(0, 2)] ?? WORDS.en;
  const box = make("div", "scroll");
  const says = make("p", "says");
  says.setAttribute("aria-live", "polite");
  const show = (step) => {
    box.replaceChildren(board(words, record, step));
    says.replaceChildren(...sentence(words, record, step));
  };
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const legend = make("p", "legend small", words.legend);
  root.replaceChildren(controls(words, TURNS, show, element), says, box, legend);
}

// A row a language, a column a player; points stand below after the last turn.
function board(words, record, step) {
  const frame = record.frames[step];
  const table = make("table");
  const head = table.createTHead().insertRow();
  head.append(make("th", "", words.language), ...record.seats.map((seat) => make("th", "", seat.name)));
  const body = table.createTBody();
  const most = Math.max(1, ...record.frames[TURNS].real.flat());
  for (const [language, attention] of record.frames[0].attention.entries()) {
    const row = body.insertRow();
    const name = make("th", "", `${language} `);
    name.append(make("span", "small", `${words.attention} ${attention}`));
    row.append(name, ...record.seats.map((_, seat) => believers(frame, language, seat, most)));
  }
  if (step === TURNS) {
    const { points } = record.frames[TURNS + 1];
    const row = body.insertRow();
    row.append(make("th", "", words.points), ...record.seats.map((_, seat) => make("td", "", points[seat])));
  }
  return table;
}

// A player's believers in one language, marked when they are the most or the fewest of the row.
function believers(frame, language, seat, most) {
  const row = frame.real?.[language] ?? [0, 0, 0, 0];
  const [high, low] = [Math.max(...row), Math.min(...row)];
  const mark = high === low ? "" : row[seat] === high ? "best" : row[seat] === low ? "worst" : "";
  const cell = make("td", mark, row[seat]);
  const shown = frame.shown?.[language][seat] ?? row[seat];
  if (shown !== row[seat]) cell.append(make("span", "small", ` (${shown})`));
  const bar = make("div", "bar");
  bar.style.width = `${(100 * row[seat]) / most}%`;
  const picks = frame.picks?.[seat].filter((picked) => picked === language).length ?? 0;
  cell.append(bar, make("span", "picks", "●".repeat(picks)));
  return cell;
}

// Which turn it is; faults of the turn; after the last one, who has won.
function sentence(words, record, step) {
  const frame = record.frames[step];
  if (step === 0) return [words.start];
  const night = frame.day === "H";
  const parts = [`${words.step} ${frame.turn} `, make("span", night ? "holiday" : "small", night ? words.night : words.day)];
  for (const fault of record.faults) {
    if (fault.turn === step - 1) parts.push(make("br"), `${record.seats[fault.seat]?.name}: ${fault.reason}`);
  }
  if (step < TURNS) return parts;
  const winner = record.ranks.filter((rank) => rank === 1).length === 1 ? record.ranks.indexOf(1) : -1;
  parts.push(make("br"), make("strong", "", winner < 0 ? words.draw : `${record.seats[winner].name} ${words.won}`));
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
