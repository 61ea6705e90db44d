// Replay of a match of Honest Rock-Paper-Scissors: `view(element, log, language)` draws it into `element`.
//
// The stage, its controls and all else that viewers share is in replay.js. Names and reasons come from bots: they are
// put in as text, never as HTML.
// Frame n - 1 is round n: two letters claimed, two thrown (seat 0, seat 1), and the score after it.

import { choose, faults, make, outcome, plural, stage } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Round",
    start: "Before the first round", R: "rock", P: "paper", S: "scissors", claimed: "claimed", threw: "threw",
    kept: "kept its word", broke: "broke its word", points: { one: "point", other: "points" }, word: "kept its word in",
    draw: "Both have the same points.", lead: "Who leads by how much; above the line the first, below it the second.",
  },
  ja: {
    step: "ラウンド",
    start: "最初のラウンドの前", R: "グー", P: "パー", S: "チョキ", claimed: "宣言", threw: "実際",
    kept: "宣言どおり", broke: "宣言と違う", points: { other: "点" }, word: "宣言を守った割合",
    draw: "同点です。", lead: "得点差。線の上は1人目、下は2人目のリードです。",
  },
  ru: {
    step: "Раунд",
    start: "Перед первым раундом", R: "камень", P: "бумага", S: "ножницы", claimed: "объявлено", threw: "сыграно",
    kept: "слово сдержано", broke: "слово нарушено", points: { one: "очко", few: "очка", many: "очков", other: "очка" }, word: "слово сдержано в",
    draw: "Очков поровну.", lead: "Кто впереди и насколько: выше черты первый, ниже второй.",
  },
};

const STYLE = `
  .table { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
  .player { padding: 0.8rem; border: 2px solid var(--line, #ccc); border-radius: 0.5rem; min-width: 0; }
  .player.ahead { border-color: var(--accent, #a4390f); }
  .move b { font: 700 1.6rem var(--mono, monospace); }
  .points { font-size: 1.2em; font-variant-numeric: tabular-nums; }
  .broke { padding: 0.1em 0.5em; border-radius: 1em; background: var(--warn-soft, #fcf0d6); color: var(--warn, #825300); }
  svg { display: block; width: 100%; height: 8rem; background: var(--sunken, #f2eee6); border-radius: 0.4rem; }
  polyline { fill: none; stroke: var(--accent, #a4390f); stroke-width: 2; vector-effect: non-scaling-stroke; }
  line { stroke: var(--line-strong, #888); stroke-width: 1; vector-effect: non-scaling-stroke; }
`;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  const rounds = log.frames.length;
  const table = make("div", "table");
  const chart = draw("svg", { viewBox: `0 -100 ${Math.max(1, rounds)} 200`, preserveAspectRatio: "none", role: "img" });
  chart.setAttribute("aria-label", words.lead);
  const now = draw("line", { y1: -100, y2: 100 });
  chart.append(draw("line", { x1: 0, x2: rounds, y1: 0, y2: 0 }), draw("polyline", { points: lead(log) }), now);
  const show = (step) => {
    table.replaceChildren(...log.seats.map((_, seat) => player(words, language, log, seat, step)));
    now.setAttribute("x1", step);
    now.setAttribute("x2", step);
    return sentence(words, language, log, step);
  };
  const parts = [table, make("p", "small", words.lead), chart];
  stage(element, language, { style: STYLE, step: words.step, last: rounds, pace: 300, parts, show });
}

// The first one's lead after each round, as the points of a line; the widest lead reaches the edge.
function lead(log) {
  const leads = [0, ...log.frames.map((frame) => frame.score[0] - frame.score[1])];
  const widest = Math.max(10, ...leads.map(Math.abs));
  return leads.map((each, round) => `${round},${(-95 * each) / widest}`).join(" ");
}

// One side after a round: its name, what it said and did, its points, how often it kept its word so far.
function player(words, language, log, seat, step) {
  const score = log.frames[step - 1]?.score ?? [0, 0];
  const box = make("div", score[seat] > score[1 - seat] ? "player ahead" : "player");
  box.append(make("div", "name", log.seats[seat].name));
  if (step > 0) {
    const { claims, throws } = log.frames[step - 1];
    const kept = claims[seat] === throws[seat];
    box.append(move(words.claimed, words, claims[seat]), move(words.threw, words, throws[seat]));
    box.append(make("span", kept ? "small" : "broke", kept ? words.kept : words.broke));
    const honest = log.frames.slice(0, step).filter((each) => each.claims[seat] === each.throws[seat]).length;
    box.append(make("div", "small", `${words.word} ${honest} / ${step}`));
  }
  const points = make("div", "points", score[seat]);
  points.append(" ", make("span", "small", plural(language, score[seat], words.points)));
  box.append(points);
  return box;
}

function move(what, words, letter) {
  const box = make("div", "move");
  box.append(make("span", "small", `${what} `), make("b", "", letter), ` ${words[letter]}`);
  return box;
}

// Which round it is; after the last one the faults that ended the match, or who has won.
function sentence(words, language, log, step) {
  const parts = [step === 0 ? words.start : `${words.step} ${step}`];
  if (step < log.frames.length) return parts;
  return [...parts, ...faults(log, language, () => true), ...outcome(log, language, () => words.draw)];
}

function draw(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
