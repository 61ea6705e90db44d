// What was filled in a form is there again where the session had ended before it was sent.
//
// The site acts on no form of a reader who is signed out: it asks them to sign in, and leads back to the page. So this tab
// keeps what it sent last until the next page. If that asks to sign in, it fills the form in again for the same account.
// Not kept are files, forms with a password, what other scripts send, and the editor's: the site keeps that itself.
"use strict";

const KEPT = "form that was sent";
// By these the site notices what others have changed since the page was shown: they stay those of that page.
const STAMPS = ["revision", "seen"];
const NOT_KEPT = "[hx-post], [data-workbench], [data-signs-out]";
const account = document.body.dataset.account;

function keep(sent) {
  try {
    if (sent) sessionStorage.setItem(KEPT, JSON.stringify(sent));
    else sessionStorage.removeItem(KEPT);
  } catch {
    // There is no storage, or no room: nothing is kept.
  }
}

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!account || form.method !== "post" || event.defaultPrevented) return;
  if (form.matches(NOT_KEPT) || form.querySelector("[type=password]")) return keep(null);
  const fields = [...new FormData(form)].filter(([name, value]) => name !== "csrfmiddlewaretoken" && typeof value === "string");
  keep({ account, page: window.location.pathname, action: form.action, fields });
});

// The same form of the page as it is now: a page may have many to one address, which differ in what is hidden.
function formOf({ action, fields }) {
  const values = new Map(fields);
  const isSame = ({ type, name, value }) => type !== "hidden" || STAMPS.includes(name) || (values.get(name) ?? value) === value;
  return [...document.forms].find(
    (form) =>
      form.method === "post" &&
      form.action === action &&
      (form.querySelector("[hx-include]") || hasAll(form, fields)) &&
      [...form.elements].every(isSame),
  );
}

function hasAll(form, fields) {
  return fields.every(([name]) => form.elements[name]);
}

function fill(controls, fields) {
  for (const control of controls) {
    const values = fields.filter(([name]) => name === control.name).map(([, value]) => value);
    if (control.type === "checkbox" || control.type === "radio") control.checked = values.includes(control.value);
    else if (control.options) for (const option of control.options) option.selected = values.includes(option.value);
    else if (values.length) control.value = values[0];
  }
}

// A part that depends on what is chosen is fetched, by htmx, which listens to changes from DOMContentLoaded on.
function fillWhatIsFetched(form, fields) {
  const fillPart = () => {
    if (!hasAll(form, fields)) return;
    form.removeEventListener("htmx:load", fillPart);
    fill(form.elements, fields);
  };
  if (!hasAll(form, fields)) form.addEventListener("htmx:load", fillPart);
  document.addEventListener("DOMContentLoaded", () => {
    for (const select of form.querySelectorAll("select")) select.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

function fillAgain(sent) {
  const form = formOf(sent);
  if (!form?.querySelector("textarea, select, input:not([type=hidden])")) return;
  fill(form.elements, sent.fields);
  fillWhatIsFetched(form, sent.fields);
  const note = document.createElement("p");
  note.className = "note info";
  note.setAttribute("role", "status");
  note.textContent = document.body.dataset.filledAgain;
  form.prepend(note);
  note.scrollIntoView({ block: "center" });
}

const sent = kept();
const isOwn = sent?.waits && sent.account === account;
if (sent && "asksToSignIn" in document.body.dataset) keep({ ...sent, waits: true });
else if (account && !isOwn) keep(null);
else if (account && sent.page === window.location.pathname) {
  keep(null);
  fillAgain(sent);
}
