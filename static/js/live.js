// Pages that follow what happens on the site.
//
// <body data-events="/c/<competition>/events/"> opens one stream of server-sent events. Each event says only that
// something has changed; the page then fires `changed` on <body>, and every element with
// hx-trigger="changed from:body" asks the server for its own new HTML. Events that come in a burst are answered
// once every GAP ms. With ?board=1 an event brings the new HTML of #board itself, the same for all readers: the page
// marks the rows of the accounts in data-accounts; those who have one there can challenge the bots of others. If rows of
// the reader may be on other pages of the board, the page asks for its own board. A hidden page closes its stream
// (browsers allow few) and catches up when it is seen again. Where the server has no room for another stream, or says
// that this one is `broken`, the page asks every POLL ms instead, and listens again later. It calls itself live once it
// has heard something, and until the stream is lost or has said nothing for SILENT ms; failures.js then says that the
// site does not answer.
// Rows with an id and data-place that have moved slide there and are marked for a moment. Focus and scroll stay where
// they are, also sideways in boxes with an id, and what the reader has opened or closed stays so, by its summary's id.
"use strict";

const GAP = 700;
const POLL = 15000;
const SILENT = 40_000; // the stream says every 15 s that it is still there

const address = document.body.dataset.events;
let stream = null;
let polling = null;
let silence = null;
let due = null;
let last = 0;
let fresh = null; // the board that the last event brought

function changed(board = null) {
  fresh = board;
  if (due !== null) return;
  due = setTimeout(() => {
    due = null;
    last = Date.now();
    if (fresh === null) document.body.dispatchEvent(new CustomEvent("changed"));
    else show(fresh);
  }, Math.max(0, last + GAP - Date.now()));
}

function listen() {
  if (stream !== null || polling !== null || document.hidden) return;
  stream = new EventSource(address);
  stream.addEventListener("error", () => {
    document.body.classList.remove("is-live");
    // A browser tries again by itself, but not when it was refused.
    if (stream?.readyState === EventSource.CLOSED) poll();
    else settled(0);
  });
  stream.addEventListener("leaderboard", () => {
    heard();
    changed();
  });
  stream.addEventListener("board", ({ data }) => {
    heard();
    changed(data);
  });
  stream.addEventListener("alive", heard);
  stream.addEventListener("broken", poll);
  expectNews();
}

function heard() {
  document.body.classList.add("is-live");
  settled(200);
  expectNews();
}

// A connection can be lost without a word.
function expectNews() {
  clearTimeout(silence);
  silence = setTimeout(poll, SILENT);
}

function settled(status) {
  document.dispatchEvent(new CustomEvent("agon:settled", { detail: { status, retry: again } }));
}

function again() {
  stop();
  listen();
  changed();
}

function poll() {
  stop();
  polling = setTimeout(() => {
    polling = null;
    changed();
    listen();
  }, POLL);
}

function stop() {
  stream?.close();
  stream = null;
  clearTimeout(polling);
  polling = null;
  clearTimeout(silence);
  document.body.classList.remove("is-live");
}

if (address) {
  listen();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return stop();
    listen();
    changed();
  });
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", listen);
}

// ---- rows under the pointer wait ----

const canHover = window.matchMedia("(hover: hover)");

document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (waits(event.detail.elt)) event.preventDefault();
});

function waits(place) {
  if (!canHover.matches || !place.matches("#board, #cards, #matches") || !place.matches(":hover")) return false;
  if (place.dataset.waits) return true;
  place.dataset.waits = "yes";
  place.addEventListener("mouseleave", () => {
    delete place.dataset.waits;
    document.body.dispatchEvent(new CustomEvent("changed"));
  }, { once: true });
  return true;
}

// ---- a board that came with an event ----

function show(html) {
  const board = document.getElementById("board");
  if (waits(board)) return;
  const part = document.createElement("template");
  part.innerHTML = html;
  if (board.querySelector(".own") && part.content.querySelector("#page-after")) {
    document.body.dispatchEvent(new CustomEvent("changed"));
    return;
  }
  markOwn(part.content, board.dataset);
  htmx.trigger(board, "htmx:abort"); // what is being fetched may be older
  remember(board);
  htmx.swap(board, part.innerHTML, { swapStyle: "innerHTML", settleDelay: 20 }, { eventInfo: { target: board } });
}

// What with_own in board.py does for a board that is asked for.
function markOwn(part, { accounts = "", ownNews = "" }) {
  const names = accounts.split("/").filter(Boolean);
  const rows = [...part.querySelectorAll("tr[data-author]")];
  const own = rows.filter((row) => names.includes(row.dataset.author));
  for (const row of own) row.classList.add("own");
  for (const row of own.length ? own : rows) row.querySelector(".challenge")?.remove();
  const best = own.find((row) => row.dataset.rank);
  const announced = part.querySelector("[data-announce]");
  if (best && announced && best !== rows.find((row) => row.dataset.rank)) {
    const values = { bot: best.querySelector("a[id]").textContent, rank: best.dataset.rank };
    announced.dataset.announce += ` ${ownNews.replace(/%\((\w+)\)s/g, (_, name) => values[name])}`;
  }
}

// ---- rows that move ----

const SLIDE = { duration: 450, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" };
const lessMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

function places(root) {
  const found = new Map();
  for (const row of root.querySelectorAll("tr[id][data-place]")) {
    found.set(row.id, { row, place: Number(row.dataset.place), top: row.getBoundingClientRect().top });
  }
  return found;
}

let before = new Map();
let moved = [];
let focused = null;
let scrolled = new Map();
const folded = new Map(); // what the reader has opened and closed, by the summary's id

document.addEventListener("click", ({ target }) => {
  const summary = target.closest("summary[id]");
  if (summary) folded.set(summary.id, !summary.parentElement.open);
});

document.body.addEventListener("htmx:beforeSwap", (event) => remember(event.detail.target));

function remember(root) {
  before = places(root);
  const wide = [...root.querySelectorAll("[id]")].filter((box) => box.scrollLeft);
  scrolled = new Map(wide.map((box) => [box.id, box.scrollLeft]));
  focused = root.contains(document.activeElement) ? document.activeElement.id : null;
}

document.body.addEventListener("htmx:afterSwap", (event) => {
  const root = document.getElementById(event.detail.target.id) ?? event.detail.target;
  for (const [id, now] of places(root)) {
    const was = before.get(id);
    if (was && was.place !== now.place) move(now, was);
  }
  for (const [id, left] of scrolled) document.getElementById(id)?.scrollTo({ left, behavior: "instant" });
  for (const [id, open] of folded) {
    const summary = document.getElementById(id);
    if (summary) summary.parentElement.open = open;
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  announce(root);
});

// When it has settled: until then htmx gives elements the attributes that they had before.
document.body.addEventListener("htmx:afterSettle", () => {
  for (const [row, name] of moved) row.classList.add(name);
  moved = [];
});

// A row slides from where it was. Rows on their way up pass over the others.
function move({ row, place, top }, was) {
  moved.push([row, place < was.place ? "moved-up" : "moved-down"]);
  if (lessMotion.matches || !row.animate) return;
  row.animate([{ transform: `translateY(${was.top - top}px)` }, { transform: "none" }], SLIDE);
}

// A screen reader hears what has changed at the top, not every number: [data-announce] holds the sentence.
function announce(root) {
  const said = document.getElementById("announce");
  const news = (root.matches("[data-announce]") ? root : root.querySelector("[data-announce]"))?.dataset.announce;
  if (said && news && said.textContent !== news) said.textContent = news;
}
