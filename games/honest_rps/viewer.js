// Replay of a match of Honest Rock-Paper-Scissors: `view(element, record, language)` draws it into `element`.
//
// Everything is drawn inside a shadow root with a style sheet of its own, which takes the page's colours from its
// custom properties. Whatever comes from a record is put in as text, never as HTML: bots choose their names.
// Frame n - 1 is round n: two letters claimed, two thrown (seat 0, seat 1), and the score after it.

const WORDS = {
  en: {
    first: "First", back: "Back", play: "Play", pause: "Pause", next: "Next", last: "Last", step: "Round",
    start: "Before the first round", R: "rock", P: "paper", S: "scissors", claimed: "claimed", threw: "threw",
    kept: "kept its word", broke: "broke its word", points: "points", word: "kept its word in", won: "wins",
    draw: "Both have the same points.", lead: "Who leads by how much; above the line the first, below it the second.",
  },
  ja: {
    first: "最初", back: "戻る", play: "再生", pause: "一時停止", next: "進む", last: "最後", step: "ラウンド",
    start: "最初のラウンドの前", R: "グー", P: "パー", S: "チョキ", claimed: "宣言", threw: "実際",
    kept: "宣言どおり", broke: "宣言と違う", points: "点", word: "宣言を守った割合", won: "の勝ち",
    draw: "同点です。", lead: "得点差。線の上は1人目、下は2人目のリードです。",
  },
  ru: {
    first: "В начало", back: "Назад", play: "Смотреть", pause: "Пауза", next: "Вперёд", last: "В конец", step: "Раунд",
    start: "Перед первым раундом", R: "камень", P: "бумага", S: "ножницы", claimed: "объявлено", threw: "сыграно",
    kept: "слово сдержано", broke: "слово нарушено", points: "очки", word: "слово сдержано в", won: "побеждает",
    draw: "Очков поровну.", lead: "Кто впереди и насколько: выше черты первый, ниже второй.",
  },
};

const STYLE = `
  :host { display: block; }
  .table { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
  .player { padding: 0.8rem; border: 2px solid var(--line, #ccc); border-radius: 0.5rem; min-width: 0; }
  .player.ahead { border-color: var(--accent, #a4390f); }
  .name { font-weight: 600; overflow-wrap: anywhere; }
  .move b { font: 700 1.6rem var(--mono, monospace); }
  .points { font-size: 1.2em; font-variant-numeric: tabular-nums; }
  .broke { padding: 0.1em 0.5em; border-radius: 1em; background: var(--warn-soft, #fcf0d6); color: var(--warn, #825300); }
  .small { font-size: 0.85em; color: var(--muted, #666); }
  .says { min-height: 3em; margin: 0.9rem 0 0.5rem; font-size: 1.05em; overflow-wrap: anywhere; }
  svg { display: block; width: 100%; height: 8rem; background: var(--sunken, #f2eee6); border-radius: 0.4rem; }
  polyline { fill: none; stroke: var(--accent, #a4390f); stroke-width: 2; vector-effect: non-scaling-stroke; }
  line { stroke: var(--line-strong, #888); stroke-width: 1; vector-effect: non-scaling-stroke; }
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin-bottom: 0.9rem; }
  button { min-width: 2.6rem; min-height: 2.4rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem;
    background: transparent; color: inherit; font: inherit; cursor: pointer; }
  button:disabled { opacity: 0.45; cursor: default; }
  input { flex: 1 1 4rem; min-width: 3rem; accent-color: var(--accent, #a4390f); }
  output { min-width: 4em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted, #666); }
`;

export default function view(element, record, language) {
  const words = WORDS[String(language).slice(0, 2)] ?? WORDS.en;
  const rounds = record.frames.length;
  const table = make("div", "table");
  const says = make("p", "says");
  says.setAttribute("aria-live", "polite");
  const chart = draw("svg", { viewBox: `0 -100 ${Math.max(1, rounds)} 200`, preserveAspectRatio: "none", role: "img" });
  chart.setAttribute("aria-label", words.lead);
  const now = draw("line", { y1: -100, y2: 100 });
  chart.append(draw("line", { x1: 0, x2: rounds, y1: 0, y2: 0 }), draw("polyline", { points: lead(record) }), now);
  const show = (step) => {
    table.replaceChildren(...record.seats.map((seat, number) => player(words, record, seat.name, number, step)));
    says.replaceChildren(...sentence(words, record, step));
    now.setAttribute("x1", step);
    now.setAttribute("x2", step);
  };
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const legend = make("p", "small", words.lead);
  root.replaceChildren(controls(words, rounds, show, element), says, table, legend, chart);
}

// The first one's lead after each round, as the points of a line; the widest lead reaches the edge.
function lead(record) {
  const leads = [0, ...record.frames.map((frame) => frame.score[0] - frame.score[1])];
  const widest = Math.max(10, ...leads.map(Math.abs));
  return leads.map((each, round) => `${round},${(-95 * each) / widest}`).join(" ");
}

// One side after a round: its name, what it said and did, its points, how often it kept its word so far.
function player(words, record, name, seat, step) {
  const score = record.frames[step - 1]?.score ?? [0, 0];
  const box = make("div", score[seat] > score[1 - seat] ? "player ahead" : "player");
  box.append(make("div", "name", name));
  if (step > 0) {
    const { claims, throws } = record.frames[step - 1];
    const kept = claims[seat] === throws[seat];
    box.append(move(words.claimed, words, claims[seat]), move(words.threw, words, throws[seat]));
    box.append(make("span", kept ? "small" : "broke", kept ? words.kept : words.broke));
    const honest = record.frames.slice(0, step).filter((each) => each.claims[seat] === each.throws[seat]).length;
    box.append(make("div", "small", `${words.word} ${honest} / ${step}`));
  }
  const points = make("div", "points", score[seat]);
  points.append(" ", make("span", "small", words.points));
  box.append(points);
  return box;
}

function move(what, words, letter) {
  const box = make("div", "move");
  box.append(make("span", "small", `${what} `), make("b", "", letter), ` ${words[letter]}`);
  return box;
}

// Which round it is; after the last one the faults that ended the match, or who has won.
function sentence(words, record, step) {
  const parts = [step === 0 ? words.start : `${words.step} ${step}`];
  if (step < record.frames.length) return parts;
  for (const fault of record.faults) {
    parts.push(make("br"), `${record.seats[fault.seat]?.name}: ${fault.reason}`);
  }
  const winner = record.ranks.filter((rank) => rank === 1).length === 1 ? record.ranks.indexOf(1) : -1;
  parts.push(make("br"), make("strong", "", winner < 0 ? words.draw : `${record.seats[winner].name} ${words.won}`));
  return parts;
}

function draw(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
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
    }, 300);
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
