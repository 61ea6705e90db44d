// Replay of a match of Samurai: `view(element, log, language)` draws it into `element`.
//
// The table of lords and daimyo is in favour.js, the stage and its controls in replay.js. Names and reasons come from
// bots: they are put in as text, never as HTML.
// log.frames[0] holds the lords' strengths, frame n what turn n led to; see referee.py.

import { replay } from "/static/js/favour.js";
import { choose } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Turn", start: "Before the first turn", open: "day", secret: "night", target: "Lord", worth: "strength",
    points: "Points", battle: "The lords choose sides.", draw: "A draw: nobody wins.",
    legend: "Real intimacy after the turn; in brackets what the daimyo are shown, where it differs; dots are this turn's picks.",
  },
  ja: {
    step: "ターン", start: "最初のターンの前", open: "昼", secret: "夜", target: "領主", worth: "兵力",
    points: "得点", battle: "領主が味方を選びます。", draw: "引き分け。勝者なし。",
    legend: "数字はターン終了時の真の親密度。公開の値が異なる場合は括弧内。点はこのターンの交渉です。",
  },
  ru: {
    step: "Ход", start: "Перед первым ходом", open: "день", secret: "ночь", target: "Князь", worth: "сила",
    points: "Очки", battle: "Князья выбирают сторону.", draw: "Ничья: не побеждает никто.",
    legend: "Настоящая близость после хода; в скобках открытая, если она другая; точки — переговоры этого хода.",
  },
};

const BATTLES = [5, 9];

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  replay(element, log, language, {
    words,
    worths: log.frames[0].strengths,
    secret: (frame) => frame.phase === "N",
    points: (turn) => (turn < BATTLES[0] ? undefined : log.frames[turn].totals),
    more: (turn) => (BATTLES.includes(turn) ? words.battle : ""),
  });
}
