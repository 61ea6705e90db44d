// The player of all replays: play, pause, step, speed, a timeline, keys, links to a step, full screen, and words.
//
// A game's viewer calls `stage`. It draws inside a shadow root with the style sheets below and the viewer's own; both
// take the page's colors from its custom properties. A place in the replay is the number of a frame, from 0.
//
// The words of a step are a live region, but not while playing: a screen reader would drown in them. Keys work while
// the focus is in the player. A long match arrives in parts: `log.load(at)` fetches the one that holds frame `at`.
// `data-link` of the element: the address that a copied link leads to; "" where others could not open it. The page's own
// address may ask for `step`, `autoplay` and `speed`: `?step=12&autoplay=1&speed=2` or `#step=12`, or `#step=deciding` for the
// step that decided the match; on a page that is about something else the element's `data-play` does. A replay does not start by itself for those who asked their system for
// less motion. The element fires `step` when the frame changes.
//
// The log of a match that is being played (log.live) grows: the code that adds frames to it calls `log.grown`. The player then
// follows it, until the reader goes back. `element.player()` says where the reader is, for `log.start` of the replay that
// takes its place. A screen reader does not announce the steps then, as while playing.

import { DEBUG_STYLE, debugPanel } from "/static/js/debug.js";
import { choose, draw, make } from "/static/js/drawing.js";
import { glide } from "/static/js/motion.js";
import { PLAYER_STYLE } from "/static/js/player_style.js";
import { WORDS } from "/static/js/player_words.js";
import { TIMELINE_STYLE, timeline } from "/static/js/timeline.js";
import { standings, story } from "/static/js/story.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const PACE = 900; // milliseconds a step
const REDUCED_PACE = 1500; // at least, for those who asked their system for less motion
const FASTEST = 30;
const LARGEST = 3; // times, on a full screen
const LESS_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z", back: "M16 5l-9 7 9 7z", play: "M7 4l13 8-13 8z", pause: "M7 5h3v14H7zM14 5h3v14h-3z",
  next: "M8 5l9 7-9 7z", last: "M18 5v14M5 5l9 7-9 7z", before: "M11 6l-6 6 6 6M20 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  after: "M13 6l6 6-6 6M8 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0z", help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 17.5v.5",
  link: "M10 14l4-4M9 11l-3 3a3 3 0 0 0 4 4l3-3M15 13l3-3a3 3 0 0 0-4-4l-3 3", full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
};

// Draw into `element` a replay of `log`. `show(at, frame)` brings `parts` up to that frame (undefined where no bot could
// be started); what it returns, texts and nodes, is said in place of the log's own story. `step`: what a frame is
// called; `first`: the number of the first one; `pace`: milliseconds a step; `standing`: what the curve shows;
// `drawn(names)`: what to say where not one alone was best; `stands`: the viewer's own place for how the players stand,
// null where the board says it; it is below the buttons otherwise. Elements with data-piece move from step to step (motion.js).
// A viewer without `log` gives `last` and draws the steps 0 to `last` from its own data.
export function stage(element, language, options) {
  const { log = {}, style = "", step, first = 0, pace = PACE, standing = "", parts, show } = options;
  const words = choose(WORDS, language);
  let last = options.last ?? Math.max(0, (log.count ?? log.frames.length) - 1);
  const name = (at) => words.place(step, at + first, last + first);
  const asked = new URLSearchParams(element.dataset.play ?? location.search);
  const wanted = frameIn(location.hash, first, log) ?? frameIn(`#step=${asked.get("step")}`, first, log);
  const begin = log.start?.follows || (log.live && wanted === null) ? last : log.start?.at ?? wanted ?? 0;
  const state = { at: Math.min(last, Math.max(0, begin)), timer: 0, speed: log.start?.speed ?? speedIn(asked), follows: false };

  const says = make("div", "says");
  says.setAttribute("aria-live", "polite");
  says.setAttribute("aria-atomic", "true");
  const note = make("p", "note");
  note.setAttribute("role", "status");
  const notice = make("span", "notice"); // beside the button for a link
  notice.setAttribute("role", "status");
  const place = make("output");
  if (log.live) place.setAttribute("aria-live", "off");
  const board = make("div", "board");
  const debug = debugPanel(log, board);
  const legend = make("div", "legend");
  const stands = options.stands === undefined ? legend : options.stands;
  legend.hidden = stands !== legend;
  const line = timeline({ label: step, standing, name, seek: (at) => jump(at) });
  let moments = [];

  function point(at) {
    line.show(at, name(at));
    place.textContent = `${at + first} / ${last + first}`;
    for (const button of [buttons.first, buttons.back]) button.setAttribute("aria-disabled", at === 0);
    for (const button of [buttons.next, buttons.last]) button.setAttribute("aria-disabled", at === last);
    buttons.before.setAttribute("aria-disabled", !moments.some((each) => each < at));
    buttons.after.setAttribute("aria-disabled", !moments.some((each) => each > at));
  }

  async function go(wanted) {
    const at = Math.min(last, Math.max(0, wanted));
    const near = Math.abs(at - state.at) === 1; // what is further away has not moved there
    state.at = at;
    point(at);
    if (log.load && !(at in log.told)) {
      says.textContent = words.loading;
      const has = await log.load(at).then(() => true, () => false);
      if (state.at !== at) return;
      if (!has) return miss(at);
    }
    const said = glide(board, near && !LESS_MOTION.matches ? 0.6 * wait() : 0, () => drawn(at));
    says.replaceChildren(...(said ? [sentence(said)] : story(words, log, at, last, options.drawn ?? words.draw)));
    keepHeight(says);
    debug.show(at);
    stands?.replaceChildren(...standings(words, log, at, standing));
    if (at === last && !log.live) crown(board, log);
    element.dispatchEvent(new CustomEvent("step", { detail: { step: at + first, last: last + first, ended: at === last && !log.live } }));
  }

  // A part that has not come ends the play, and is asked for again if the reader wants it.
  function miss(at) {
    stop();
    const again = make("button", "again", words.again);
    again.type = "button";
    again.addEventListener("click", () => go(at));
    says.replaceChildren(sentence([words.missing]), again);
  }

  // A step that the game's viewer cannot draw is described all the same.
  function drawn(at) {
    try {
      const said = show(at, log.frames?.[at]);
      if (note.textContent === words.broken) note.textContent = "";
      return said;
    } catch (error) {
      console.error(error);
      note.textContent = words.broken;
      return null;
    }
  }

  // Take in what the log holds by now.
  function measure() {
    last = options.last ?? Math.max(0, (log.count ?? log.frames.length) - 1);
    moments = [...new Set((log.marks ?? []).map(([at]) => at))];
    place.style.minWidth = `${`${last + first} / ${last + first}`.length}ch`;
    line.measure({ last, marks: log.marks ?? [], curve: log.curve ?? [] });
    buttons.before.hidden = buttons.after.hidden = !moments.length;
    if (log.full) note.textContent = words.rest;
  }

  function follow(follows) {
    state.follows = Boolean(log.live) && follows;
    live.setAttribute("aria-pressed", state.follows);
    if (log.live && !state.timer) says.setAttribute("aria-live", state.follows ? "off" : "polite");
  }

  function stop() {
    clearTimeout(state.timer);
    state.timer = 0;
    says.setAttribute("aria-live", state.follows ? "off" : "polite");
    label(buttons.play, "play", words.play);
  }

  function jump(at) {
    follow(at >= last);
    stop();
    return go(at);
  }

  function wait() {
    return Math.max(FASTEST, (LESS_MOTION.matches ? Math.max(pace, REDUCED_PACE) : pace) / state.speed);
  }

  function tick() {
    const timer = setTimeout(async () => {
      if (!element.isConnected) return stop();
      await go(state.at + 1);
      if (state.timer !== timer) return; // stopped, or started anew, while a part was loaded
      if (state.at < last) return tick();
      follow(true);
      stop();
    }, wait());
    state.timer = timer;
  }

  async function start() {
    if (state.timer) return stop();
    follow(false);
    label(buttons.play, "pause", words.pause);
    says.setAttribute("aria-live", "off");
    tick();
    if (state.at === last) await go(0);
  }

  function faster(by) {
    const speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(state.speed) + by))];
    choice.value = state.speed = speed;
  }

  async function link() {
    if (buttons.link.hidden) return;
    const address = new URL(element.dataset.link ?? location.href, location.href);
    address.hash = `step=${state.at + first}`;
    if (!element.dataset.link) history.replaceState(history.state, "", address);
    try {
      await navigator.clipboard.writeText(address.href);
      notice.textContent = words.copied;
    } catch {
      notice.textContent = element.dataset.link ? address.href : words.inBar;
    }
  }

  function full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else element.requestFullscreen?.();
  }

  // The whole screen is used, for those who watch from afar.
  function fit() {
    player.style.zoom = "";
    if (document.fullscreenElement !== element) return;
    player.style.minHeight = 0;
    const { paddingTop, paddingLeft } = getComputedStyle(element);
    const wide = (element.clientWidth - 2 * parseFloat(paddingLeft)) / player.offsetWidth;
    const high = (element.clientHeight - 2 * parseFloat(paddingTop)) / player.offsetHeight;
    player.style.minHeight = "";
    player.style.zoom = Math.min(LARGEST, Math.max(1, Math.min(wide, high)));
  }

  const actions = {
    first: () => jump(0),
    before: () => jump(moments.findLast((each) => each < state.at) ?? state.at),
    back: () => jump(state.at - 1),
    play: start,
    next: () => jump(state.at + 1),
    after: () => jump(moments.find((each) => each > state.at) ?? state.at),
    last: () => jump(last),
    link,
    full,
  };
  const buttons = {};
  for (const [each, action] of Object.entries(actions)) buttons[each] = button(each, words[each], action);
  buttons.full.hidden = !document.fullscreenEnabled;
  buttons.link.hidden = element.dataset.link === "";
  const help = popover(words, Object.keys(words.keys).filter((each) => !buttons[each]?.hidden));
  buttons.help = button("help", words.help, () => help.togglePopover?.());
  const choice = speeds(words.speed, state);

  const bar = make("div", "controls");
  bar.append(...["first", "back", "play", "next", "last"].map((each) => buttons[each]));
  const tools = make("div", "tools");
  tools.append(buttons.before, buttons.after, place, choice, buttons.link, notice, buttons.full, buttons.help);
  const live = make("button", "live", words.live);
  live.type = "button";
  live.title = words.toLive;
  live.addEventListener("click", () => jump(last));
  live.hidden = !log.live;
  tools.prepend(live);

  const keys = {
    " ": start, ArrowLeft: actions.back, ArrowRight: actions.next, Home: actions.first, End: actions.last,
    "[": actions.before, "]": actions.after, "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
    f: full, c: link, "?": () => help.togglePopover?.(),
  };
  const player = make("div", "player-box");
  player.tabIndex = -1; // a click on the picture brings the keys here
  player.setAttribute("role", "group");
  player.setAttribute("aria-label", words.replay);
  player.addEventListener("keydown", (event) => {
    const plain = !(event.altKey || event.ctrlKey || event.metaKey);
    const own = event.target.closest(OWN_KEYS[event.key] ?? "never"); // what the browser does there by itself
    if (!plain || own || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  board.append(...parts);
  player.append(board, line.box, bar, tools, legend, says, debug.panel, note, help);
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [PLAYER_STYLE, TIMELINE_STYLE, DEBUG_STYLE, style].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  root.replaceChildren(player);
  document.addEventListener("fullscreenchange", fit);
  window.addEventListener("hashchange", () => {
    const at = frameIn(location.hash, first, log);
    if (at === null || !element.isConnected) return;
    element.scrollIntoView({ block: "nearest" });
    jump(at);
  });
  measure();
  follow(state.at === last);
  go(state.at);
  fit();
  if (log.start?.focus) root.querySelector(`[data-act="${log.start.focus}"]`)?.focus({ preventScroll: true });
  if (["1", "true"].includes(asked.get("autoplay")) && !log.live && !LESS_MOTION.matches) start();
  log.grown = () => {
    measure();
    if (state.follows) go(last);
    else point(state.at); // drawn again, its words would be read out again
  };
  element.player = () => ({ at: state.at, follows: state.follows, speed: state.speed, focus: root.activeElement?.dataset.act });
}

const OWN_KEYS = {
  " ": "button, select", ArrowLeft: "input, select, .scroll", ArrowRight: "input, select, .scroll",
  Home: "input, select, .scroll", End: "input, select, .scroll",
};

// Which frame an address asks for: a link has the number that readers see, the page's transcript that of the frame.
function frameIn(hash, first, log) {
  if (hash === "#step=deciding") return deciding(log);
  const found = /^#(step|frame)=(\d{1,9})$/.exec(hash);
  return found ? Number(found[2]) - (found[1] === "step" ? first : 0) : null;
}

// The frame from which on the winner led to the end. Where nobody won alone, or who wins led all the time, it is the
// last moment that the game marks, if it marks any.
function deciding({ ranks = [], curve = [], marks = [] }) {
  const best = ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  const leads = ([, ...ahead]) => ahead.every((each, seat) => seat === best[0] || each < ahead[best[0]]);
  const behind = best.length === 1 ? curve.findLastIndex((point) => !leads(point)) : -1;
  const led = behind > 0 && behind < curve.length - 1 ? curve[behind + 1][0] : null;
  return led ?? marks.findLast(([, kind]) => kind === "moment")?.[0] ?? 0;
}

function speedIn(asked) {
  const speed = Number(asked.get("speed"));
  return SPEEDS.includes(speed) ? speed : 1;
}

function speeds(name, state) {
  const select = make("select");
  select.setAttribute("aria-label", name);
  select.title = name;
  for (const speed of SPEEDS) select.append(Object.assign(make("option", "", `${speed}×`), { value: speed }));
  select.value = state.speed;
  select.addEventListener("change", () => { state.speed = Number(select.value); });
  return select;
}

function popover(words, shown) {
  const box = make("div", "help");
  box.popover = "auto";
  const list = make("dl");
  for (const each of shown) {
    list.append(make("dt", "", words.keys[each]), make("dd", "", words.does[each]));
  }
  box.append(make("strong", "", words.help), list);
  return box;
}

// What follows below does not jump at every step: the words keep the room that the longest ones took.
function keepHeight(says) {
  if (says.dataset.width !== String(says.clientWidth)) says.style.minHeight = "";
  says.dataset.width = says.clientWidth;
  says.style.minHeight = `${says.offsetHeight}px`;
}

// Who has won alone wears a crown on the board, which does not change its measures.
function crown(board, log) {
  const best = (log.ranks ?? []).flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  if (best.length !== 1) return;
  for (const shape of board.querySelectorAll(`.name > .shape[data-seat="${best[0]}"]`)) {
    const sign = draw("svg", { class: "champion", viewBox: "0 0 24 16", "aria-hidden": "true" });
    sign.append(draw("path", { d: "M3 15L1 3l6 4 5-6 5 6 6-4-2 12z" }));
    shape.after(sign);
  }
}

function sentence(parts) {
  const line = make("p");
  line.append(...parts);
  return line;
}

function button(icon, name, action) {
  const made = label(make("button"), icon, name);
  made.type = "button";
  made.dataset.act = icon;
  made.addEventListener("click", action);
  return made;
}

function label(button, icon, name) {
  const solid = ["play", "pause", "back", "next"].includes(icon) ? "solid" : "";
  button.replaceChildren(draw("svg", { class: `icon ${solid}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: ICONS[icon] })));
  button.title = name;
  button.setAttribute("aria-label", name);
  return button;
}
