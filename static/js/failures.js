// Requests of a page that fail: what has happened is said, and there is a way on. Nothing that was written is lost.
//
// A part that the page fetches fails in #trouble, at the top; what the reader sends, beside what they pressed, with the
// page's own words where the site has answered. Either can be tried again. The next answer ends what #trouble says.
// Other scripts report how their requests went by `agon:settled` on the document, with the status of the answer (none: there
// was no answer) and a function that tries again.
//
// htmx ends a request after `timeout` ms (the page's configuration). An upload may take longer, but not stand still.
const PATIENCE = 1500; // ms: a part that is fetched again within this time needs no words
const STILL = 30_000; // ms without progress after which an upload is given up
const TAKEN_IN = 60_000; // the same, once all of it has been sent

const trouble = document.getElementById("trouble");
let again = null; // tries again what #trouble is about
let due = null;
let leaving = false;

window.addEventListener("pagehide", () => (leaving = true));
window.addEventListener("pageshow", () => (leaving = false));

// ---- what failed, in words ----

function kindOf(status) {
  if (!navigator.onLine) return "offline";
  if (!status) return "silent";
  if (status === 401) return "signedOut";
  return status >= 500 ? "broken" : "refused";
}

// The words of the site's own pages for errors, or of its plain answers; else one sentence for the kind.
function wordsOf(kind, xhr) {
  const sentence = trouble.dataset[kind];
  if (!xhr?.status) return sentence;
  const type = xhr.getResponseHeader("Content-Type") ?? "";
  if (type.startsWith("text/plain") && xhr.responseText) return xhr.responseText.slice(0, 500);
  if (!type.startsWith("text/html")) return sentence;
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
  const said = [...page.querySelectorAll(".oops h1, .oops p.muted")].map((each) => each.textContent.trim());
  return said.length ? said.join(". ") : sentence;
}

// ---- parts that the page fetches ----

function show(kind, retry) {
  if (leaving) return;
  again = retry;
  trouble.querySelector("[data-said]").textContent = trouble.dataset[kind];
  due ??= setTimeout(() => (trouble.hidden = false), PATIENCE);
}

function hide() {
  clearTimeout(due);
  due = null;
  again = null;
  trouble.hidden = true;
}

document.getElementById("again").addEventListener("click", () => again?.());
document.addEventListener("agon:settled", ({ detail: { status, retry } }) => {
  if (status && status < 400) hide();
  else show(kindOf(status), retry);
});
window.addEventListener("offline", () => show("offline", () => navigator.onLine && hide()));
window.addEventListener("online", () => (again ? again() : hide()));

// ---- what the reader sends ----

function say(elt, words, retry) {
  silence(elt);
  const note = document.createElement("div");
  note.className = "note bad";
  note.dataset.failure = "";
  note.setAttribute("role", "alert");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet compact";
  button.textContent = trouble.dataset.again;
  button.addEventListener("click", () => {
    note.remove();
    retry();
  });
  note.append(Object.assign(document.createElement("p"), { textContent: words }));
  note.append(Object.assign(document.createElement("p"), { textContent: trouble.dataset.kept }), button);
  const place = elt.dataset.failures ? document.querySelector(elt.dataset.failures) : null;
  if (place) place.replaceChildren(note);
  else (elt.closest("form") ?? elt).append(note);
  note.scrollIntoView({ block: "nearest" });
}

function silence(elt) {
  for (const old of (elt.closest("form") ?? elt).querySelectorAll("[data-failure]")) old.remove();
}

function failed({ detail }) {
  const { elt, xhr, requestConfig: sent } = detail;
  if (leaving) return;
  still.end(elt);
  const kind = kindOf(xhr?.status);
  if (sent.verb === "get") return show(kind, () => window.htmx.ajax("GET", sent.path, { source: elt }));
  say(elt, wordsOf(kind, xhr), () => (elt.matches("form") ? elt.requestSubmit() : elt.click()));
  elt.dispatchEvent(new CustomEvent("agon:not-sent", { bubbles: true }));
}

for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.addEventListener(name, failed);
document.addEventListener("htmx:beforeRequest", ({ detail: { elt, requestConfig: sent } }) => {
  if (sent.verb !== "get") silence(elt);
});
document.addEventListener("htmx:afterRequest", ({ detail: { elt, successful } }) => {
  still.end(elt);
  if (successful) hide();
});

// ---- uploads that stand still ----

const still = {
  timers: new WeakMap(),
  watch(elt, most) {
    this.end(elt);
    this.timers.set(elt, setTimeout(() => window.htmx.trigger(elt, "htmx:abort"), most));
  },
  end(elt) {
    clearTimeout(this.timers.get(elt));
  },
};

document.addEventListener("htmx:xhr:progress", ({ target, detail: { loaded, total } }) => {
  if (target.matches("[data-submit]")) still.watch(target, loaded < total ? STILL : TAKEN_IN);
});
document.addEventListener("htmx:beforeSend", ({ target }) => {
  if (target.matches("[data-submit]")) still.watch(target, STILL);
});
document.addEventListener("htmx:sendAbort", (event) => {
  if (event.target.matches("[data-submit]")) failed(event);
});
