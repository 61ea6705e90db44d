// The page of the editor: CodeMirror in place of the text field, drafts in this browser, starters that replace the text
// at once. Without this file the page is a form with a text field, and everything else works.
//
// The text field stays in the form and holds what is written: htmx sends it to be tried, the browser to be entered.
// A draft takes the place of what the page opens with; only the reader replaces it, by a button that says so.
import { draftsOf } from "/static/js/drafts.js";

const form = document.querySelector("[data-workbench]");

const KEPT = 500; // milliseconds after the last change
const PATIENCE = 20_000; // milliseconds that a starter may take; its page is opened then

async function enhance() {
  const { workbench, who, bot, source } = form.dataset;
  const field = form.elements.text;
  const language = form.elements.language;
  const drafts = draftsOf(workbench, who);
  const draft = drafts.open(bot);
  const start = { text: field.value, language: language.value };
  const note = form.querySelector("[data-draft]");
  const conflict = form.querySelector("[data-conflict]");
  let due = null;
  let untouched = true; // what is shown is what the page brought, and not the reader's

  const kept = draft.read();
  if (kept?.text === start.text && kept.language === start.language) draft.forget();
  else if (kept) {
    untouched = false;
    field.value = kept.text;
    if ([...language.options].some(({ value }) => value === kept.language)) language.value = kept.language;
    note.hidden = false;
    const isBack = source === "" || kept.source === source;
    note.querySelector(isBack ? "[data-instead]" : "[data-back]").remove();
  }
  list(drafts);

  const forgetTimer = () => {
    clearTimeout(due);
    due = null;
  };
  const began = kept?.source ?? source;
  const keep = () => {
    forgetTimer();
    const other = draft.write({ text: field.value, language: language.value, source: began });
    if (other) return disagree();
    list(drafts);
  };
  const disagree = () => {
    conflict.hidden = false;
    conflict.scrollIntoView({ block: "nearest" });
  };
  const keepSoon = () => {
    untouched = false;
    clearTimeout(due);
    due = setTimeout(keep, KEPT);
  };
  field.addEventListener("input", keepSoon);
  window.addEventListener("pagehide", () => {
    if (due !== null && conflict.hidden) keep();
  });
  window.addEventListener("storage", ({ key }) => {
    if (key !== null && key !== draft.name) return list(drafts);
    const other = draft.read();
    if (other && other.text !== field.value) disagree();
  });
  window.addEventListener("beforeunload", (event) => {
    if (!conflict.hidden && !untouched) event.preventDefault();
  });
  document.addEventListener("submit", ({ target, submitter }) => {
    if (target.matches("[data-signs-out]")) forgetTimer(); // page.js forgets what was kept
    if (target === form && submitter?.hasAttribute("formaction")) {
      if (due !== null && conflict.hidden) keep();
      draft.sent();
    }
  });
  listen();

  const { edit } = await import(form.dataset.editor);
  const place = Object.assign(document.createElement("div"), { className: "editor" });
  field.before(place);
  const changed = (text) => {
    field.value = text;
    keepSoon();
  };
  const editor = edit(place, { text: field.value, label: form.dataset.label, changed });
  const wasFocused = document.activeElement === field;
  field.hidden = true;
  if (wasFocused) editor.focus();
  form.querySelector(".code-field label").addEventListener("click", editor.focus);
  for (const keys of form.querySelectorAll("[data-keys]")) keys.hidden = false;
  editor.speak(language.value);

  const show = (text, chosen) => {
    editor.replace(text);
    language.value = chosen;
    editor.speak(chosen);
    note.hidden = true;
    forgetTimer();
    editor.focus();
  };
  // A text that is not the reader's own: there is nothing to keep.
  const replace = (text, chosen) => {
    show(text, chosen);
    draft.forget();
    draft.settle();
    untouched = true;
    list(drafts);
  };
  // Of two starters that are on their way, only the one that was chosen last is shown.
  let awaited = null;
  const bring = async (link) => {
    const before = field.value;
    awaited = link;
    const answer = await fetch(link.dataset.starter, { signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => null) : null;
    if (awaited !== link) return;
    if (text === null) window.location.assign(link.href);
    else if (field.value === before || window.confirm(form.dataset.replace)) replace(text, link.dataset.language);
  };
  language.addEventListener("change", () => {
    const chosen = language.value;
    editor.speak(chosen);
    const starter = form.querySelector(`[data-starter][data-language="${CSS.escape(chosen)}"]`);
    const ofStarter = untouched && "starting" in form.dataset;
    if (starter && (ofStarter || window.confirm(form.dataset.bring))) bring(starter);
    else keep();
  });
  form.querySelector("[data-discard]").addEventListener("click", () => replace(start.text, start.language));
  form.querySelector("[data-starters]")?.addEventListener("click", (event) => {
    const link = event.target.closest("[data-starter]");
    if (!link) return;
    event.preventDefault();
    link.closest("details").open = false;
    if (!untouched && !window.confirm(form.dataset.replace)) return;
    bring(link);
  });
  conflict.addEventListener("click", ({ target }) => {
    const other = draft.read();
    if (target.matches("[data-take]") && other) {
      show(other.text, other.language);
      forgetTimer();
    } else if (!target.matches("[data-keep]")) return;
    conflict.hidden = true;
    draft.settle();
    keep();
  });

  const showFault = () => {
    const result = document.getElementById("trial");
    editor.mark(Number(result.dataset.line));
    if (result.childElementCount) result.scrollIntoView({ block: "nearest" });
    const button = document.querySelector("[data-go]");
    if (button) button.hidden = false;
  };
  document.body.addEventListener("htmx:afterSwap", showFault);
  form.addEventListener("click", (event) => {
    if (event.target.matches("[data-go]")) editor.goTo(Number(event.target.dataset.go));
  });
  showFault();
}

// The reader's bots: which of them have a draft, and since when. Of deleted ones only those that have.
function list(drafts) {
  for (const entry of document.querySelectorAll("[data-draft-of]")) {
    const found = drafts.read(entry.dataset.draftOf);
    const mark = entry.querySelector("[data-kept]");
    mark.hidden = !found;
    if (found?.at) mark.title = new Date(found.at).toLocaleString(document.documentElement.lang);
    if ("gone" in entry.dataset) entry.hidden = !found;
  }
}

// What works with the text field, too.
function listen() {
  // Ctrl+Enter tries the program; Enter behind a new bot's name enters it, and Enter in a field for several opponents
  // tries it against these. It never presses the first button of the form.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const ofName = event.target === form.elements.name ? document.getElementById("enter-new") : null;
    const ofSeveral = event.target.closest("#several :is(input, select)") && document.getElementById("try-several");
    const button = event.ctrlKey || event.metaKey ? document.getElementById("try") : ofName ?? ofSeveral;
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    button.click();
  }, { capture: true });
}

if (form) enhance();
