// What the replay viewers of all games share: a stage with controls that steps through a match, and words.
//
// A game's viewer.js exports `default function view(element, log, language)` and imports what it needs from
// "/static/js/replay.js". It builds its own parts once and calls `stage`, which draws inside a shadow root with the
// style sheet below and the viewer's own; both take the page's colours from its custom properties. Whatever comes from
// a log is put in as text, never as HTML: bots choose their names, and reasons quote what they sent.
//
// Keys, while the focus is on the controls: left and right step, Home and End jump, the space bar plays or pauses.
// The sentence of a step is a live region, but not while playing: a screen reader would drown in it.

const WORDS = {
  en: {
    first: "First", back: "Back", play: "Play", pause: "Pause", next: "Next", last: "Last",
    place: (step, at, last) => `${step} ${at} of ${last}`, won: (name) => `${name} wins`,
    faults: {
      start: "did not start", timeout: "too slow", crash: "crashed", illegal: "illegal move",
      flood: "too much output", memory: "too much memory",
    },
  },
  ja: {
    first: "最初", back: "戻る", play: "再生", pause: "一時停止", next: "進む", last: "最後",
    place: (step, at, last) => `${step} ${at} / ${last}`, won: (name) => `${name} の勝ち`,
    faults: {
      start: "起動せず", timeout: "時間切れ", crash: "異常終了", illegal: "不正な手",
      flood: "出力超過", memory: "メモリ超過",
    },
  },
  ru: {
    first: "В начало", back: "Назад", play: "Смотреть", pause: "Пауза", next: "Вперёд",
    last: "В конец", place: (step, at, last) => `${step} ${at} из ${last}`, won: (name) => `${name} побеждает`,
    faults: {
      start: "не запустился", timeout: "не успел", crash: "аварийно завершился", illegal: "недопустимый ход",
      flood: "слишком много вывода", memory: "слишком много памяти",
    },
  },
};

const STYLE = `
  :host { display: block; container-type: inline-size; }
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin-bottom: 0.9rem; }
  button { min-width: 2.75rem; min-height: 2.75rem; border: 1px solid var(--line-strong, #888); border-radius: 0.4rem;
    background: transparent; color: inherit; font: inherit; cursor: pointer; }
  button[aria-disabled="true"] { opacity: 0.45; cursor: default; }
  :focus-visible { outline: 3px solid var(--accent, #a4390f); outline-offset: 1px; border-radius: 0.4rem; }
  input { flex: 1 1 4rem; min-width: 3rem; min-height: 2.75rem; margin: 0; accent-color: var(--accent, #a4390f); }
  output { min-width: 4em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted, #666); }
  @container (width < 26rem) { input { order: 1; flex-basis: 100%; } output { flex: 1; } }
  .says { min-height: 3em; margin: 0 0 0.6rem; font-size: 1.05em; overflow-wrap: anywhere; }
  .scroll { overflow-x: auto; }
  .name { font-weight: 600; overflow-wrap: anywhere; }
  .small { font-size: 0.85em; color: var(--muted, #666); }
`;

const REDUCED_PACE = 1500; // milliseconds a step at least, for those who asked their system for less motion

// Draw into `element` a replay of the steps 0 to `last`. `show(step)` brings `parts` up to that step and returns what
// is to be said of it: texts and nodes. `step`: what a step is called; `pace`: milliseconds a step when playing.
export function stage(element, language, { style = "", step, last, pace = 900, parts, show }) {
  const words = choose(WORDS, language);
  const says = make("p", "says");
  says.setAttribute("aria-live", "polite");
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [STYLE, style].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  const bar = controls(words, { step, last, pace, says, element, show: (at) => says.replaceChildren(...show(at)) });
  root.replaceChildren(bar, says, ...parts);
}

// The words of a viewer in the language of the page, English where it has no others.
export function choose(words, language) {
  return words[String(language).slice(0, 2)] ?? words.en;
}

// A number with its noun: `forms` by the language's plural categories, { one: "coin", other: "coins" }.
export function plural(language, count, forms) {
  return forms[new Intl.PluralRules(language).select(Number(count))] ?? forms.other;
}

// The faults for which `shown(fault)` holds, each on a line of its own: who, what kind of fault, and the log's reason.
export function faults(log, language, shown) {
  const kinds = choose(WORDS, language).faults;
  return log.faults.filter(shown).flatMap(({ seat, kind, reason }) => [
    make("br"), `${log.seats[seat]?.name}: ${kinds[kind] ?? kind}. ${reason}`,
  ]);
}

// Who has won, on a line of its own; `several(names)` says it where not one alone was best.
export function outcome(log, language, several) {
  const best = log.seats.filter((_, seat) => log.ranks[seat] === 1).map(({ name }) => name);
  const text = best.length === 1 ? choose(WORDS, language).won(best[0]) : several(best);
  return [make("br"), make("strong", "", text)];
}

// A box whose contents may be wider than the page; it can be scrolled with the keyboard.
export function scroll(label) {
  const box = make("div", "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return box;
}

export function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}

// Buttons and a slider. Those that lead nowhere stay focusable: a disabled button would drop the focus.
function controls(words, { step, last, pace, says, element, show }) {
  const slider = Object.assign(make("input"), { type: "range", min: 0, max: last, value: 0 });
  slider.setAttribute("aria-label", step);
  const place = make("output");
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    says.setAttribute("aria-live", "polite");
    label(play, "▶", words.play);
  };
  const go = (wanted) => {
    const at = Math.min(last, Math.max(0, wanted));
    slider.value = at;
    slider.setAttribute("aria-valuetext", words.place(step, at, last));
    place.textContent = `${at} / ${last}`;
    for (const button of [first, back]) button.setAttribute("aria-disabled", at === 0);
    for (const button of [next, end]) button.setAttribute("aria-disabled", at === last);
    show(at);
  };
  const jump = (wanted) => () => {
    stop();
    go(wanted());
  };
  const start = () => {
    if (timer) return stop();
    if (slider.valueAsNumber === last) go(0);
    label(play, "⏸", words.pause);
    says.setAttribute("aria-live", "off");
    timer = setInterval(() => {
      if (!element.isConnected) return stop();
      go(slider.valueAsNumber + 1);
      if (slider.valueAsNumber === last) stop();
    }, matchMedia("(prefers-reduced-motion: reduce)").matches ? Math.max(pace, REDUCED_PACE) : pace);
  };
  const keys = {
    Home: jump(() => 0), ArrowLeft: jump(() => slider.valueAsNumber - 1),
    ArrowRight: jump(() => slider.valueAsNumber + 1), End: jump(() => last), " ": start,
  };
  const first = button("«", words.first, keys.Home);
  const back = button("‹", words.back, keys.ArrowLeft);
  const play = button("▶", words.play, start);
  const next = button("›", words.next, keys.ArrowRight);
  const end = button("»", words.last, keys.End);
  slider.addEventListener("input", jump(() => slider.valueAsNumber));
  const bar = make("div", "controls");
  bar.append(first, back, play, next, end, slider, place);
  bar.addEventListener("keydown", (event) => {
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    const own = event.target === slider ? event.key !== " " : event.key === " "; // what the browser does by itself
    if (!plain || own || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  go(0);
  return bar;
}

function button(sign, name, action) {
  const made = label(make("button"), sign, name);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

function label(button, sign, name) {
  button.textContent = sign;
  button.title = name;
  button.setAttribute("aria-label", name);
  return button;
}
