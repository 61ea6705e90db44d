// The player's own words, by language. `units`: of microseconds, milliseconds and seconds, as they follow a number.

const KEYS = {
  space: "Space", arrows: "← →", ends: "Home End", moments: "[ ]", speed: "+ −", full: "f", link: "c", help: "?",
};

export const WORDS = {
  en: {
    locale: "en", units: [" µs", " ms", " s"],
    live: "Live", toLive: "Follow the match live", rest: "The rest is shown when the match is over.", replay: "Replay", first: "First", back: "Back", play: "Play", pause: "Pause", next: "Next", last: "Last",
    before: "Previous key moment", after: "Next key moment", speed: "Speed", link: "Copy link to this step",
    copied: "The link was copied.", inBar: "The link is in the address bar.", full: "Full screen",
    help: "Keyboard shortcuts", loading: "Loading …", missing: "This part of the replay could not be loaded.", again: "Try again", broken: "This step cannot be drawn.", moment: "Key moment",
    place: (step, at, last) => `${step} ${at} of ${last}`, won: (name) => `${name} wins`,
    draw: (names) => `Tied for first place: ${names}`, took: (time, limit) => `${time} of ${limit}`,
    keys: KEYS,
    does: {
      space: "play or pause", arrows: "one step back or on", ends: "to the start or the end",
      moments: "previous or next key moment", speed: "faster or slower", full: "full screen",
      link: "copy a link to this step", help: "this list",
    },
    faults: {
      start: "did not start", timeout: "too slow", crash: "crashed", illegal: "illegal move",
      flood: "too much output", memory: "too much memory",
    },
  },
  ja: {
    locale: "ja", units: ["マイクロ秒", "ミリ秒", "秒"],
    live: "ライブ", toLive: "試合をライブで表示", rest: "続きは試合の終了後に表示されます。", replay: "リプレイ", first: "最初", back: "戻る", play: "再生", pause: "一時停止", next: "進む", last: "最後",
    before: "前の見どころ", after: "次の見どころ", speed: "速度", link: "この場面へのリンクをコピー",
    copied: "リンクをコピーしました。", inBar: "リンクはアドレスバーにあります。", full: "全画面",
    help: "キーボードショートカット", loading: "読み込み中…", missing: "リプレイのこの部分を読み込めませんでした。", again: "もう一度試す", broken: "この場面は描画できません。", moment: "見どころ",
    place: (step, at, last) => `${step} ${at} / ${last}`, won: (name) => `${name} の勝ち`,
    draw: (names) => `同率1位: ${names}`, took: (time, limit) => `${time} / ${limit}`,
    keys: KEYS,
    does: {
      space: "再生・一時停止", arrows: "1ステップ戻る・進む", ends: "最初・最後へ", moments: "前・次の見どころ",
      speed: "速く・遅く", full: "全画面", link: "この場面へのリンクをコピー", help: "この一覧",
    },
    faults: {
      start: "起動せず", timeout: "時間切れ", crash: "異常終了", illegal: "不正な手",
      flood: "出力超過", memory: "メモリ超過",
    },
  },
  ru: {
    locale: "ru", units: ["\u00a0мкс", "\u00a0мс", "\u00a0с"],
    live: "Прямой эфир", toLive: "Следить за матчем в прямом эфире", rest: "Остальное появится, когда матч закончится.", replay: "Повтор", first: "В начало", back: "Назад", play: "Воспроизвести", pause: "Пауза", next: "Вперёд", last: "В конец",
    before: "Предыдущий ключевой момент", after: "Следующий ключевой момент", speed: "Скорость",
    link: "Скопировать ссылку на этот шаг", copied: "Ссылка скопирована.", inBar: "Ссылка — в адресной строке.",
    full: "На весь экран", help: "Горячие клавиши", loading: "Загрузка…", missing: "Не удалось загрузить эту часть повтора.", again: "Повторить", broken: "Этот шаг не удалось нарисовать.", moment: "Ключевой момент",
    place: (step, at, last) => `${step} ${at} из ${last}`, won: (name) => `${name} побеждает`,
    draw: (names) => `Делят первое место: ${names}`, took: (time, limit) => `${time} из ${limit}`,
    keys: { ...KEYS, space: "Пробел" },
    does: {
      space: "воспроизведение или пауза", arrows: "шаг назад или вперёд", ends: "в начало или в конец",
      moments: "предыдущий или следующий ключевой момент", speed: "быстрее или медленнее", full: "на весь экран",
      link: "скопировать ссылку на этот шаг", help: "этот список",
    },
    faults: {
      start: "ошибка запуска", timeout: "превышение времени", crash: "аварийное завершение", illegal: "недопустимый ход",
      flood: "избыток вывода", memory: "перерасход памяти",
    },
  },
};
