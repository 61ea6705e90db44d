// What every page does beyond its HTML: menus that close, the appearance switch, times in the reader's own zone.
// All of it is a convenience: without this file every page still works.
"use strict";

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.activeElement?.closest("details.menu[open]");
  closeMenus(null);
  menu?.querySelector("summary").focus();
});

// The switch works as a form; here it works at once, and the request is sent behind the scenes.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-themes]") || !event.submitter) return;
  event.preventDefault();
  const theme = event.submitter.value;
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const button of form.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button === event.submitter));
  }
  const data = new FormData(form, event.submitter);
  const send = async () => {
    const sent = { method: "POST", body: data, redirect: "manual", signal: AbortSignal.timeout(20_000) };
    const answer = await fetch(form.action, sent).catch(() => null);
    const status = answer?.type === "opaqueredirect" ? 302 : answer?.status;
    if (status < 400) newMask(form);
    document.dispatchEvent(new CustomEvent("agon:settled", { detail: { status, retry: send } }));
  };
  send();
});

function localTimes(root) {
  const language = document.documentElement.lang;
  const styles = {
    full: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
    day: new Intl.DateTimeFormat(language, { dateStyle: "medium" }),
    clock: new Intl.DateTimeFormat(language, { timeStyle: "medium" }),
    exact: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }),
    date: new Intl.DateTimeFormat(language, { dateStyle: "short" }), // on charts, as the next one
    minute: new Intl.DateTimeFormat(language, { timeStyle: "short" }),
  };
  const tied = tablesWhoseMinutesTie(root, styles.full);
  for (const time of root.querySelectorAll("[data-local]")) {
    const moment = new Date(time.dateTime ?? time.dataset.moment);
    const zoned = time.dataset.local === "zoned";
    const style = zoned ? "full" : time.dataset.local === "full" && tied.has(time.closest("table")) ? "exact" : time.dataset.local;
    time.textContent = styles[style].format(moment) + (zoned ? ` (${zoneOf(moment)})` : "");
    if (time.dateTime) time.title = moment.toISOString();
    delete time.dataset.local;
  }
}

// The reader's time zone at a moment, as "Asia/Tokyo, UTC+09:00".
function zoneOf(moment) {
  const minutes = -moment.getTimezoneOffset();
  const [hours, rest] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60].map((part) => String(Math.floor(part)).padStart(2, "0"));
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${name ? `${name}, ` : ""}UTC${minutes < 0 ? "−" : "+"}${hours}:${rest}`;
}

// Where two different times of a table have the same minute, all of them are shown with their seconds.
function tablesWhoseMinutesTie(root, style) {
  const found = new Set();
  const seen = new Map(); // the moment of each text, by table
  for (const time of root.querySelectorAll("table time[data-local=full]")) {
    const table = time.closest("table");
    const key = style.format(new Date(time.dateTime));
    const texts = seen.get(table) ?? new Map();
    if ((texts.get(key) ?? time.dateTime) !== time.dateTime) found.add(table);
    seen.set(table, texts.set(key, time.dateTime));
  }
  return found;
}

// What is left until a time, as "2 days 03:04:05".
function countDown() {
  const days = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "day", unitDisplay: "long" });
  for (const place of document.querySelectorAll("[data-countdown]")) {
    const left = Math.max(0, Math.round((new Date(place.dataset.countdown) - Date.now()) / 1000));
    const clock = [left / 3600 % 24, left / 60 % 60, left % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
    place.textContent = left < 86_400 ? clock : `${days.format(Math.floor(left / 86_400))} ${clock}`;
  }
}

countDown();
setInterval(countDown, 1000);
localTimes(document);
document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt.parentElement ?? document));

// A form with a question is sent without it once it was asked: the site asks on a page of its own where it gets it
// (platform/agon/site/web/core/confirming.py).
document.addEventListener("submit", (event) => {
  const question = event.target.querySelector('input[name="confirm"]');
  if (!question) return;
  if (!window.confirm(question.value)) return event.preventDefault();
  question.disabled = true;
  setTimeout(() => (question.disabled = false)); // for those who come back to this page
});

// A form's token is that of a cookie, which changes when the reader signs in, perhaps in another tab. Forms are sent by
// clicks, those of the Enter key included, and by scripts.
//
// Its first half is random for each page, and stays: by it the site knows a form that is sent twice, and acts on it once
// (platform/agon/site/web/core/sent_once.py). A form that stays on the page when it has been answered gets another one.
const CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"; // of Django's tokens
const MASK = 32;

function renewToken({ target }) {
  const token = target.closest?.("form")?.elements.csrfmiddlewaretoken;
  const cookie = document.cookie.split("; ").find((each) => each.startsWith("csrftoken="));
  if (token && cookie) token.value = masked(cookie.slice("csrftoken=".length), token.value.slice(0, MASK));
}

function masked(secret, mask) {
  const shifted = [...secret].map((char, at) => CHARS[(CHARS.indexOf(char) + CHARS.indexOf(mask[at])) % CHARS.length]);
  return mask + shifted.join("");
}

function newMask(form) {
  const token = form?.elements.csrfmiddlewaretoken;
  if (!token) return;
  const drawn = crypto.getRandomValues(new Uint8Array(MASK));
  token.value = Array.from(drawn, (number) => CHARS[number % CHARS.length]).join("") + token.value.slice(MASK);
  renewToken({ target: form });
}

document.addEventListener("click", renewToken, { capture: true });
document.addEventListener("submit", renewToken, { capture: true });

document.addEventListener("htmx:afterRequest", ({ detail: { elt, successful, requestConfig } }) => {
  if (successful && requestConfig.verb === "post") newMask(elt.closest("form"));
});

// What a note's button closes; the focus goes to what follows, so that the Tab key does not begin at the top again.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-close]");
  const note = button && document.querySelector(button.dataset.close);
  if (!note) return;
  const next = note.nextElementSibling;
  note.remove();
  next?.setAttribute("tabindex", "-1");
  next?.focus({ preventScroll: true });
});

// A form that is being sent is locked until its page is left, or does not come. What htmx and scripts send is theirs.
// Coming back to the page makes it work again.
const LOCKED = 15_000; // milliseconds

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(() => lock(form)); // now it would be sent without its button
  setTimeout(() => unlock(form), LOCKED);
});

function lock(form) {
  for (const button of form.querySelectorAll("button:not([type=button]):not(:disabled)")) {
    button.disabled = true;
    button.dataset.locked = "";
  }
}

function unlock(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("[data-locked]")) {
    button.disabled = false;
    delete button.dataset.locked;
  }
}

window.addEventListener("pageshow", ({ persisted }) => {
  for (const form of document.forms) {
    unlock(form);
    if (persisted) newMask(form);
  }
});

// A filter that is chosen with the mouse works at once. Arrow keys pass options that are not wanted: after them, and
// after typing, the form waits for its button or the Enter key.
for (const filters of document.querySelectorAll("[data-filters]")) {
  let typed = false;
  filters.addEventListener("keydown", () => (typed = true));
  filters.addEventListener("pointerdown", () => (typed = false));
  filters.addEventListener("change", () => {
    if (!typed) filters.requestSubmit();
  });
}

// The program has been entered. Its draft has had its day, unless another tab has changed it since. See drafts.js.
if (window.location.hash === "#entered") {
  try {
    const { name, stamp } = JSON.parse(sessionStorage.getItem("draft sent"));
    if (JSON.parse(localStorage.getItem(name)).stamp === stamp) localStorage.removeItem(name);
  } catch {
    // There is none.
  }
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
}

// Who signs out leaves none of their programs behind: the next reader may be another person. See editor.js.
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("[data-signs-out]")) return;
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith("draft of ")) localStorage.removeItem(name);
  } catch {
    // Without storage nothing was kept.
  }
});
