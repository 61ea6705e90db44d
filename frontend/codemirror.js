// The editor of the site: CodeMirror 6 with what writing a bot needs, and nothing of the site itself, which is in
// static/js/editor.js. `make editor` bundles this file into static/editor/; modes of languages load when chosen.
//
// The editor lives in a shadow root. There CodeMirror adopts style sheets; in the document it would insert <style>
// elements, which the site's Content-Security-Policy forbids. Colors are the page's custom properties, so light and
// dark need nothing here.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting,
} from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const legacy = (load, name) => async () => StreamLanguage.define((await load())[name]);
const clike = () => import("@codemirror/legacy-modes/mode/clike");
const script = () => import("@codemirror/legacy-modes/mode/javascript");

// By the site's names of languages (sandbox/languages/). One that is not here is plain text.
const MODES = {
  python: async () => (await import("@codemirror/lang-python")).python(),
  pypy: async () => (await import("@codemirror/lang-python")).python(),
  javascript: legacy(script, "javascript"),
  typescript: legacy(script, "typescript"),
  c: legacy(clike, "c"),
  cpp: legacy(clike, "cpp"),
  java: legacy(clike, "java"),
  csharp: legacy(clike, "csharp"),
  bash: legacy(() => import("@codemirror/legacy-modes/mode/shell"), "shell"),
  d: legacy(() => import("@codemirror/legacy-modes/mode/d"), "d"),
  fortran: legacy(() => import("@codemirror/legacy-modes/mode/fortran"), "fortran"),
  go: legacy(() => import("@codemirror/legacy-modes/mode/go"), "go"),
  haskell: legacy(() => import("@codemirror/legacy-modes/mode/haskell"), "haskell"),
  lisp: legacy(() => import("@codemirror/legacy-modes/mode/commonlisp"), "commonLisp"),
  lua: legacy(() => import("@codemirror/legacy-modes/mode/lua"), "lua"),
  ocaml: legacy(() => import("@codemirror/legacy-modes/mode/mllike"), "oCaml"),
  pascal: legacy(() => import("@codemirror/legacy-modes/mode/pascal"), "pascal"),
  perl: legacy(() => import("@codemirror/legacy-modes/mode/perl"), "perl"),
  r: legacy(() => import("@codemirror/legacy-modes/mode/r"), "r"),
  racket: legacy(() => import("@codemirror/legacy-modes/mode/scheme"), "scheme"),
  ruby: legacy(() => import("@codemirror/legacy-modes/mode/ruby"), "ruby"),
  rust: legacy(() => import("@codemirror/legacy-modes/mode/rust"), "rust"),
};

const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--info)" },
  { tag: [tags.comment, tags.meta], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className, tags.typeName], color: "var(--warn)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "0.875rem", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", paddingBlock: "0.5rem" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--sunken)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--sunken) 70%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--info-soft)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--good-soft)" },
  ".cm-faulty": { backgroundColor: "var(--bad-soft)", boxShadow: "inset 3px 0 0 var(--bad)" },
});

const setFaulty = StateEffect.define(); // the number of a line, from 1; 0: none

const faulty = StateField.define({
  create: () => Decoration.none,
  update(found, transaction) {
    found = found.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setFaulty)) found = lineAt(transaction.state, effect.value);
    }
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function lineAt(state, number) {
  if (number < 1 || number > state.doc.lines) return Decoration.none;
  const mark = Decoration.line({ class: "cm-faulty" });
  return Decoration.set([mark.range(state.doc.line(number).from)]);
}

// Where a browser itself replaces selected text, Chromium gives the new text the colors of the old one, as an inline
// style, which the policy forbids and the console reports. So CodeMirror replaces it.
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || !event.data || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

// An editor in `parent`. `label` is what a screen reader calls it, `changed(text)` is called after each change.
// Tab indents; Escape, then Tab leaves the editor (CodeMirror's own rule).
export function edit(parent, { text, label, changed }) {
  const root = parent.attachShadow({ mode: "open" });
  const mode = new Compartment();
  let chosen = "";
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(), history(),
        drawSelection(), EditorView.lineWrapping, indentOnInput(), indentUnit.of("    "), bracketMatching(), faulty,
        typeOverSelection, syntaxHighlighting(HIGHLIGHT), THEME, mode.of([]),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });

  return {
    replace(changedText) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changedText }, effects: setFaulty.of(0) });
    },
    async speak(language) {
      chosen = language;
      const loaded = await MODES[language]?.();
      if (chosen === language) view.dispatch({ effects: mode.reconfigure(loaded ?? []) });
    },
    mark(number) {
      view.dispatch({ effects: setFaulty.of(number) });
    },
    goTo(number) {
      if (number < 1 || number > view.state.doc.lines) return;
      view.dispatch({ selection: { anchor: view.state.doc.line(number).from }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
  };
}
