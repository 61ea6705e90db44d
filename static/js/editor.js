// The page of the editor: CodeMirror in place of the text field, a draft for each game in this browser, starters that
// replace the text at once. Without this file the page is a form with a text field, and everything else works.
//
// The text field stays in the form and holds what is written: htmx sends it to be tried, the browser to be entered.

const form = document.querySelector("[data-workbench]");

const KEPT = 500; // milliseconds after the last change

async function enhance() {
  const field = form.elements.text;
  const draft = draftOf(form.dataset.workbench);
  const start = { text: field.value, language: form.elements.language.value };
  const kept = new URLSearchParams(window.location.search).size ? null : draft.read();
  if (kept && kept.text !== start.text) {
    field.value = kept.text;
    form.elements.language.value = kept.language;
    form.querySelector("[data-draft]").hidden = false;
  }

  const { edit } = await import(form.dataset.editor);
  const place = Object.assign(document.createElement("div"), { className: "editor" });
  field.before(place);
  let due = null;
  const changed = (text) => {
    field.value = text;
    clearTimeout(due);
    due = setTimeout(keep, KEPT);
  };
  const keep = () => draft.write({ text: field.value, language: form.elements.language.value });
  const editor = edit(place, { text: field.value, label: form.dataset.label, changed });
  const wasFocused = document.activeElement === field;
  field.hidden = true;
  if (wasFocused) editor.focus();
  form.querySelector(".code-field label").addEventListener("click", editor.focus);
  form.querySelector("[data-keys]").hidden = false;
  editor.speak(form.elements.language.value);

  const replace = (text, language) => {
    editor.replace(text);
    form.elements.language.value = language;
    editor.speak(language);
    form.querySelector("[data-draft]").hidden = true;
    keep();
  };
  form.elements.language.addEventListener("change", () => {
    editor.speak(form.elements.language.value);
    keep();
  });
  form.querySelector("[data-discard]").addEventListener("click", () => {
    replace(start.text, start.language);
    draft.forget();
    editor.focus();
  });
  form.querySelector("[data-starters]")?.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-starter]");
    if (!link) return;
    event.preventDefault();
    link.closest("details").open = false;
    if (draft.read() && !window.confirm(form.dataset.replace)) return;
    const answer = await fetch(link.dataset.starter);
    if (answer.ok) replace(await answer.text(), link.dataset.language);
    draft.forget();
    editor.focus();
  });

  // Ctrl+Enter tries the program.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    document.getElementById("try").click();
  }, { capture: true });

  // What is no answer to a try, such as a page for an expired form, is a page of its own.
  document.body.addEventListener("htmx:responseError", (event) => {
    if (event.target.id === "try") form.submit();
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
