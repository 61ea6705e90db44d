// The page of the editor: CodeMirror in place of the text field, a draft for each game in this browser, starters that
// replace the text at once. Without this file the page is a form with a text field, and everything else works.
//
// The text field stays in the form and holds what is written: htmx sends it to be tried, the browser to be entered.

const form = document.querySelector("[data-workbench]");

const KEPT = 500; // milliseconds after the last change

async function enhance() {
  const field = form.elements.text;
  const language = form.elements.language;
  const draft = draftOf(form.dataset.workbench);
  const start = { text: field.value, language: language.value };
  const kept = new URLSearchParams(window.location.search).size ? null : draft.read();
  if (typeof kept?.text === "string" && kept.text !== start.text) {
    field.value = kept.text;
    if ([...language.options].some(({ value }) => value === kept.language)) language.value = kept.language;
    form.querySelector("[data-draft]").hidden = false;
  }
  let due = null;
  const forgetTimer = () => {
    clearTimeout(due);
    due = null;
  };
  const keep = () => {
    forgetTimer();
    draft.write({ text: field.value, language: language.value });
  };
  const keepSoon = () => {
    clearTimeout(due);
    due = setTimeout(keep, KEPT);
  };
  field.addEventListener("input", keepSoon);
  window.addEventListener("pagehide", () => {
    if (due !== null) keep();
  });
  document.addEventListener("submit", ({ target }) => {
    if (target.matches("[data-signs-out]")) forgetTimer(); // page.js forgets what was kept
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
  form.querySelector("[data-keys]").hidden = false;
  editor.speak(language.value);

  // A text that is not the reader's own: there is nothing to keep.
  const replace = (text, chosen) => {
    editor.replace(text);
    language.value = chosen;
    editor.speak(chosen);
    form.querySelector("[data-draft]").hidden = true;
    forgetTimer();
    draft.forget();
    editor.focus();
  };
  language.addEventListener("change", () => {
    editor.speak(language.value);
    keep();
  });
  form.querySelector("[data-discard]").addEventListener("click", () => replace(start.text, start.language));
  form.querySelector("[data-starters]")?.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-starter]");
    if (!link) return;
    event.preventDefault();
    link.closest("details").open = false;
    if ((due !== null || draft.read()) && !window.confirm(form.dataset.replace)) return;
    const answer = await fetch(link.dataset.starter).catch(() => null);
    if (answer?.ok) replace(await answer.text(), link.dataset.language);
    else window.location.assign(link.href);
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

// What works with the text field, too.
function listen() {
  // Ctrl+Enter tries the program; Enter behind the bot's name enters it, and not the first button of the form.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const button = event.ctrlKey || event.metaKey ? "try" : event.target === form.elements.name ? "enter" : "";
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    document.getElementById(button).click();
  }, { capture: true });

  // What is no answer to a try is shown as it is, or as the page that it is.
  document.body.addEventListener("htmx:responseError", ({ target, detail: { xhr } }) => {
    if (target.id !== "try") return;
    if (xhr.getResponseHeader("Content-Type")?.startsWith("text/plain")) say(xhr.responseText);
    else form.submit();
  });
  document.body.addEventListener("htmx:sendError", ({ target }) => {
    if (target.id === "try") say(form.dataset.offline);
  });
}

function say(text) {
  const note = Object.assign(document.createElement("p"), { className: "note bad", textContent: text });
  note.setAttribute("role", "alert");
  document.getElementById("trial").replaceChildren(note);
}

// What was written for a game, kept in this browser alone. Without storage nothing is kept.
function draftOf(game) {
  const name = `draft of ${game}`;
  const attempt = (action) => {
    try {
      return action();
    } catch {
      return null;
    }
  };
  return {
    read: () => attempt(() => JSON.parse(localStorage.getItem(name))),
    write: (draft) => attempt(() => localStorage.setItem(name, JSON.stringify(draft))),
    forget: () => attempt(() => localStorage.removeItem(name)),
  };
}

if (form) enhance();
