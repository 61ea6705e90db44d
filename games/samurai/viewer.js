// Replay of a match of Samurai: `view(element, log, language)` draws it into `element`.
//
// The lords and what each daimyo is to them are drawn by hidden_favor.js. A lord is called after its crest, drawn here.
// log.frames[0] holds the lords' strengths, frame n what turn n led to; see referee.py.

import { replay } from "/games/hidden_favor.js";
import { choose, draw } from "/static/js/replay.js";

const WORDS = {
  en: {
    step: "Turn", draw: "A draw: nobody wins.", start: "Before the first turn", open: "day", secret: "night, hidden from the other daimyo", worth: "strength", battle: "Battle! The lords choose sides.",
    standing: "Points, with a battle now", lords: ["Hoshi", "Nami", "Matsu", "Tsuki", "Yama", "Kaze"],
    key: "Bars are the real intimacy, hatched what the other daimyo have not been shown. ▲ would win the lord in a battle now, ▼ lose it. Dots are this turn’s negotiations.",
  },
  ja: {
    step: "ターン", draw: "引き分け。勝者なし。", start: "最初のターンの前", open: "昼", secret: "夜（ほかの大名には非公開）", worth: "兵力", battle: "合戦！領主が味方を選びます。",
    standing: "今合戦があった場合の得点", lords: ["星", "波", "松", "月", "山", "風"],
    key: "棒は真の親密度、斜線はほかの大名に公開されていない分です。今合戦があれば、▲は領主を得て、▼は失います。点はこのターンの交渉です。",
  },
  ru: {
    step: "Ход", draw: "Ничья: не побеждает никто.", start: "Перед первым ходом", open: "день", secret: "ночь, другим даймё не видна", worth: "сила", battle: "Битва! Князья выбирают сторону.",
    standing: "Очки, если бы битва была сейчас", lords: ["Хоси", "Нами", "Мацу", "Цуки", "Яма", "Кадзэ"],
    key: "Полосы — настоящая близость, штриховка — то, чего другие даймё не видели. Будь битва сейчас, ▲ получил бы князя, а ▼ потерял бы его. Точки — переговоры этого хода.",
  },
};

// The crests, in 48 x 48: a star, waves, a pine, a moon, mountains, wind.
const CRESTS = [
  ["solid", "M24 7l4.6 11.4 12.3.9-9.4 7.9 3 12L24 32.700 13.500 39.200l3-12-9.400-7.900 12.300-.900z"],
  ["mark", "M7 20c4-6 8-6 11 0s8 6 11 0 8-6 12 0M7 29c4-6 8-6 11 0s8 6 11 0 8-6 12 0M12 37c3-4 6-4 8 0s6 4 9 0 6-4 8 0"],
  ["solid", "M24 6l8 10h-4l8 9h-5l7 9H27v7h-6v-7H10l7-9h-5l8-9h-4z"],
  ["solid", "M30 8a17 17 0 1 0 10 24A15 15 0 0 1 30 8z"],
  ["solid", "M5 37l13-24 7 12 5-7 13 19zM18 13l-4 8 4-2 3 3 2-1z"],
  ["mark", "M7 18h22a5 5 0 1 0-5-5M7 25h29a5 5 0 1 1-5 6M7 32h16a4 4 0 1 1-4 5"],
];

const SKIES = [
  [
    ["rays", "M32 6v6M32 52v6M6 32h6M52 32h6M14 14l4 4M46 46l4 4M50 14l-4 4M18 46l-4 4"],
    ["orb", "M32 19a13 13 0 1 1-.01 0z"],
  ],
  [
    ["moon", "M40 10a22 22 0 1 0 13 32A20 20 0 0 1 40 10z"],
    ["moon", "M50 12l1.5 4 4 1.5-4 1.5-1.5 4-1.5-4-4-1.5 4-1.5zM58 30l1 2.5 2.5 1-2.5 1-1 2.5-1-2.5-2.5-1 2.5-1z"],
  ],
];

const BATTLES = [5, 9];

export default function view(element, log, language) {
  const words = choose(WORDS, language);
  replay(element, log, language, {
    words,
    skies: SKIES,
    targets: log.frames[0].strengths.map((worth, lord) => {
      const [className, d] = CRESTS[lord];
      return { name: `${lord} ${words.lords[lord]}`, worth, emblem: [draw("path", { class: className, d })] };
    }),
    secret: (frame) => frame.phase === "N",
    more: (turn) => (BATTLES.includes(turn) ? words.battle : ""),
  });
}
