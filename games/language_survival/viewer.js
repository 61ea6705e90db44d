// Replay of a match of Language Survival: `view(element, log, language)` draws it into `element`.
//
// The languages and their believers are drawn by hidden_favor.js. A language is known by a sign of its syntax.
// log.frames[0] holds the attention of each language, frame n what turn n led to, the last one the points.

import { replay } from "/games/hidden_favor.js";
import { choose, draw } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Turn", draw: "A draw: nobody wins.", start: "Before the first turn", end: "The reckoning", open: "weekday", secret: "holiday, hidden from the others", worth: "attention", target: "Language",
    standing: "Points, if it ended now", reveal: "The holidays so far are revealed.",
    key: "Bars are the real believers, hatched those that the others have not been shown. ▲ would gain the language’s attention now, ▼ lose it. Dots are this turn’s picks.",
  },
  ja: {
    step: "ターン", draw: "引き分け。勝者なし。", start: "最初のターンの前", end: "得点の計算", open: "平日", secret: "休日（ほかのプレイヤーには非公開）", worth: "注目度", target: "言語",
    standing: "今終わった場合の得点", reveal: "ここまでの休日が公開されます。",
    key: "棒は真の信者数、斜線はほかのプレイヤーに公開されていない分です。今終われば、▲は注目度を得て、▼は失います。点はこのターンの布教です。",
  },
  ru: {
    step: "Ход", draw: "Ничья: не побеждает никто.", start: "Перед первым ходом", end: "Итог", open: "будний день", secret: "праздник, другим не виден", worth: "внимание", target: "Язык",
    standing: "Очки, если бы матч закончился сейчас", reveal: "Праздники до этого хода раскрыты.",
    key: "Полосы — настоящее число верующих, штриховка — те, кого другие не видели. Закончись матч сейчас, ▲ получил бы внимание языка, а ▼ потерял бы его. Точки — проповеди этого хода.",
  },
};

const SIGNS = ["{ }", "( )", "< >", "λ", "#!", ";;"];

// A desk calendar for weekdays, a parasol for holidays.
const SKIES = [
  [["pole", "M11 14h42v40H11zM11 25h42M21 8v10M43 8v10M20 34h6M32 34h6M44 34h1M20 44h6M32 44h6"]],
  [["orb", "M32 10a23 23 0 0 1 23 23H9a23 23 0 0 1 23-23z"], ["pole", "M32 6v46a5 5 0 0 0 10 0M32 10c-8 6-10 14-10 23M32 10c8 6 10 14 10 23"]],
];
const REVEAL = 5;

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  replay(element, log, language, {
    words,
    skies: SKIES,
    targets: log.frames[0].attention.map((worth, number) => ({
      name: `${words.target} ${number}`, worth, emblem: [draw("text", { x: 24, y: 31 }, SIGNS[number])],
    })),
    secret: (frame) => frame.day === "H",
    more: (turn) => (turn === REVEAL ? words.reveal : ""),
  });
}
