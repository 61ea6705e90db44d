// Replay of a match of Language Survival: `view(element, log, language)` draws it into `element`.
//
// The table of languages and players is in favour.js, the stage and its controls in replay.js. Names and reasons come
// from bots: they are put in as text, never as HTML.
// log.frames[0] holds the attention of each language, frame n what turn n led to, the last one the points.

import { replay } from "/static/js/favour.js";
import { choose } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Turn", start: "Before the first turn", open: "weekday", secret: "holiday", target: "Language", worth: "attention",
    points: "Points", draw: "A draw: nobody wins.",
    legend: "Believers after the turn; in brackets what the players are shown, where it differs; dots are this turn's picks.",
  },
  ja: {
    step: "ターン", start: "最初のターンの前", open: "平日", secret: "休日", target: "言語", worth: "注目度",
    points: "得点", draw: "引き分け。勝者なし。",
    legend: "数字はターン終了時の真の信者数。公開の値が異なる場合は括弧内。点はこのターンの布教です。",
  },
  ru: {
    step: "Ход", start: "Перед первым ходом", open: "будни", secret: "праздник", target: "Язык", worth: "внимание",
    points: "Очки", draw: "Ничья: не побеждает никто.",
    legend: "Верующие после хода; в скобках открытое число, если оно другое; точки — проповеди этого хода.",
  },
};

export default function view(element, log, language) {
  replay(element, log, language, {
    words: choose(WORDS, language),
    worths: log.frames[0].attention,
    secret: (frame) => frame.day === "H",
    points: (turn) => log.frames[turn + 1]?.points,
  });
}
