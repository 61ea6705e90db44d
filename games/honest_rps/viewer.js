// Replay of a match of Honest Rock-Paper-Scissors: `view(element, log, language)` draws it into `element`.
//
// Frame n is round n + 1: two letters claimed, two thrown (seat 0, seat 1), and the score after it. What each side said
// stands in a bubble above what it did; below is every broken word of the match.

import { choose, draw, make, plural, seatClass, seatName, stage } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Round", R: "rock", P: "paper", S: "scissors", says: "says", throws: "throws", kept: "kept its word",
    broke: "lied", won: "won", drew: "drew", lost: "lost", points: { one: "point", other: "points" },
    word: (kept, rounds) => `word kept in ${kept} of ${rounds}`, lies: "Broken words", standing: "Points", equal: "Both have the same points.",
  },
  ja: {
    step: "ラウンド", R: "グー", P: "パー", S: "チョキ", says: "宣言", throws: "実際", kept: "宣言どおり",
    broke: "嘘", won: "勝ち", drew: "あいこ", lost: "負け", points: { other: "点" },
    word: (kept, rounds) => `宣言を守った: ${kept} / ${rounds}`, lies: "破られた宣言", standing: "得点", equal: "同点です。",
  },
  ru: {
    step: "Раунд", R: "камень", P: "бумага", S: "ножницы", says: "объявляет", throws: "играет", kept: "слово сдержано",
    broke: "обман", won: "победа", drew: "ничья", lost: "поражение", points: { one: "очко", few: "очка", many: "очков", other: "очка" },
    word: (kept, rounds) => `слово сдержано: ${kept} из ${rounds}`, lies: "Нарушенные обещания", standing: "Очки", equal: "Очков поровну.",
  },
};

const BEATS = { R: "S", P: "R", S: "P" };

// Drawn in 64 x 64: a boulder with facets, a sheet with a folded corner, open scissors.
const PICTURES = {
  R: [
    ["fill", "M12 42l3-18 13-11 17 3 10 15-4 16-15 7H19z"],
    ["line", "M28 13l-2 15 10 8 19-5M26 28L12 42M36 36l-1 18"],
  ],
  P: [
    ["fill", "M15 8h24l11 11v37H15z"],
    ["line", "M39 8v11h11M22 28h20M22 36h20M22 44h12"],
  ],
  S: [
    ["line thick", "M20 12l16 32M44 12L28 44"],
    ["ring", "M25 48a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM52 48a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z"],
    ["line", "M32 35.5v.5"],
  ],
};

const STYLE = `
  .table { display: grid; grid-template: repeat(6, auto) / minmax(0, 1fr) minmax(0, 1fr); gap: 0.5rem clamp(0.5rem, 3cqi, 2rem); }
  .side { position: relative; display: grid; grid-row: 1 / span 6; grid-template-rows: subgrid; grid-template-columns: minmax(0, 1fr); justify-items: center; align-items: center; min-width: 0; padding: 0.8rem; text-align: center;
    border: 2px solid var(--line, #ccc); border-radius: 0.75rem; background: linear-gradient(var(--surface, #fff), var(--sunken, #f2eee6)); }
  .side.won { border-color: var(--seat); }
  .bubble { position: relative; display: flex; align-items: center; gap: 0.5rem; min-height: 3rem; padding: 0.3rem 0.9rem; border: 2px solid var(--line-strong, #888);
    border-radius: 1.5rem; background: var(--surface, #fff); }
  .bubble::after { content: ""; position: absolute; left: 50%; bottom: -0.55rem; width: 0.9rem; height: 0.9rem; margin-left: -0.45rem;
    transform: rotate(45deg); border: solid var(--line-strong, #888); border-width: 0 2px 2px 0; background: inherit; }
  .lied .bubble { border-style: dashed; } .lied .bubble .what { text-decoration: line-through; text-decoration-thickness: 2px; }
  .hand { display: block; } .bubble .hand { width: 2.2rem; height: 2.2rem; } .throw .hand { width: clamp(4.5rem, 22cqi, 6.5rem); height: clamp(4.5rem, 22cqi, 6.5rem); }
  .throw { display: grid; justify-items: center; margin-top: 0.5rem; font-weight: 650; }
  .fill { fill: color-mix(in srgb, var(--seat) 22%, var(--surface, #fff)); stroke: var(--seat); stroke-width: 3; stroke-linejoin: round; }
  .line { fill: none; stroke: var(--seat); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
  .line.thick { stroke-width: 6; } .ring { fill: none; stroke: var(--seat); stroke-width: 4.5; }
  .badges { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.35rem; }
  .badge { padding: 0.1em 0.65em; border-radius: 1em; border: 1px solid var(--line-strong, #888); font-size: 0.875rem; }
  .badge.broke { border-color: transparent; background: var(--warn-soft, #fcf0d6); color: var(--warn, #825300); font-weight: 650; }
  .badge.win { border-color: transparent; background: var(--seat); color: var(--surface, #fff); font-weight: 650; }
  .points { font-size: 1.7rem; font-weight: 700; line-height: 1.1; font-variant-numeric: tabular-nums; }
  .points .small { font-weight: 400; } .points .got { font-size: 0.5em; color: var(--good, #1a6b40); vertical-align: super; }
  @container (width < 34rem) { .side { padding: 0.5rem 0.3rem; } .bubble { padding: 0.2rem 0.7rem; } .bubble .what, .bubble .small { display: none; } .points .small { display: block; font-size: 0.875rem; } .badges { flex-direction: column; align-items: center; min-height: 4.8rem; } .kept { min-height: 3.4em; } }
  .lies { margin: 0.8rem 0 0; }
  .lies svg { display: block; width: calc(100% - 16px); margin: 0.2rem 8px 0; height: 1.6rem; background: var(--sunken, #f2eee6); border-radius: 0.3rem; }
  .lies path { fill: none; stroke: var(--seat); stroke-width: 2; vector-effect: non-scaling-stroke; }
  .lies .at { stroke: var(--ink, #000); stroke-width: 1; vector-effect: non-scaling-stroke; }
`;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  const table = make("div", "table");
  const box = make("div", "lies");
  let rounds = -1;
  let kept, strip;
  const show = (at, frame) => {
    if (log.frames.length !== rounds) { // a match that is being played grows
      rounds = log.frames.length;
      kept = counts(log);
      strip = lies(log);
      box.replaceChildren(make("span", "small", words.lies), strip.picture);
    }
    table.replaceChildren(...log.seats.map((seat, number) => side(words, language, frame, seat.name, number, at, kept)));
    strip.show(at);
  };
  stage(element, language, { log, style: STYLE, step: words.step, first: 1, pace: 450, standing: words.standing, stands: null, drawn: () => words.equal, parts: [table, box], show });
}

// In how many rounds each side has kept its word, after every round.
function counts(log) {
  const sums = [0, 0];
  return log.frames.map(({ claims, throws }) => {
    for (const seat of [0, 1]) sums[seat] += claims[seat] === throws[seat] ? 1 : 0;
    return [...sums];
  });
}

// One side after a round; without a frame no round was played.
function side(words, language, frame, name, seat, at, kept) {
  const box = make("div", `side ${seatClass(seat)}`);
  box.append(seatName(seat, name));
  if (!frame) return box;
  const { claims, throws, score } = frame;
  const honest = claims[seat] === throws[seat];
  const won = BEATS[throws[seat]] === throws[1 - seat];
  const lost = BEATS[throws[1 - seat]] === throws[seat];
  if (!honest) box.classList.add("lied");
  if (won) box.classList.add("won");
  const bubble = make("div", "bubble");
  bubble.append(make("span", "small", words.says), hand(claims[seat]), make("span", "what", words[claims[seat]]));
  const thrown = make("div", "throw");
  thrown.dataset.place = throws[seat];
  thrown.append(hand(throws[seat]), make("span", "", words[throws[seat]]));
  const badges = make("div", "badges");
  badges.append(make("span", honest ? "badge" : "badge broke", honest ? `✓ ${words.kept}` : `✗ ${words.broke}`));
  badges.append(make("span", won ? "badge win" : "badge", won ? words.won : lost ? words.lost : words.drew));
  const points = make("div", "points", score[seat]);
  const got = (won ? 2 : lost ? 0 : 1) + (honest ? 1 : 0);
  points.append(make("span", "got", `+${got}`), " ", make("span", "small", plural(language, score[seat], words.points)));
  box.append(bubble, thrown, badges, points, make("span", "small kept", words.word(kept[at][seat], at + 1)));
  return box;
}

function hand(letter) {
  const picture = draw("svg", { class: "hand", viewBox: "0 0 64 64", "aria-hidden": "true" });
  picture.append(...PICTURES[letter].map(([className, d]) => draw("path", { class: className, d })));
  return picture;
}

// Every broken word of the match, the first side's above the second's.
function lies(log) {
  const rounds = Math.max(1, log.frames.length);
  const picture = draw("svg", { viewBox: `-0.5 0 ${rounds} 22`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const seat of [0, 1]) {
    const broken = [...log.frames.keys()].filter((n) => log.frames[n].claims[seat] !== log.frames[n].throws[seat]);
    picture.append(draw("path", { class: seatClass(seat), d: broken.map((n) => `M${n} ${1 + 11 * seat}v9`).join("") }));
  }
  const now = draw("line", { class: "at", y1: 0, y2: 22 });
  picture.append(now);
  const show = (at) => { for (const end of ["x1", "x2"]) now.setAttribute(end, at); };
  return { picture, show };
}
