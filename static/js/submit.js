// The upload form: files and folders dropped anywhere on the page, which ones were chosen, saying at once that they
// are too big (the server would only after all of it has been sent), and no second click while it is sent.
// htmx sends the form: what comes back replaces it, except for the chosen files. All listeners are on the document.
"use strict";

const FILE = "[data-submit] [data-drop] input[type=file]";
const fileInput = () => document.querySelector(FILE);
const dropBox = () => document.querySelector("[data-submit] [data-drop]");
let chosenLast = 0; // counts what was dropped or chosen

// ---- dropping ----

// Beside the box, too: otherwise the browser would leave the page and show the file.
document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files") || !dropBox()) return;
  event.preventDefault();
  dropBox().classList.add("over");
});

document.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) dropBox()?.classList.remove("over");
});

document.addEventListener("drop", async (event) => {
  const box = dropBox();
  if (!box || !event.dataTransfer?.files.length) return;
  event.preventDefault();
  box.classList.remove("over");
  document.querySelector("[data-submit] [name=way][value=file]").checked = true;
  const mine = ++chosenLast; // a large folder takes a while to read, in which something else may be chosen
  const found = await filesOf(event.dataTransfer).catch(() => null);
  if (mine !== chosenLast || !dropBox()) return;
  if (found) take(found);
  else complain(dropBox().dataset.unreadable);
});

// ---- choosing a folder ----

// An input takes either files or a folder, so the folder gets one of its own.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-folder]")) return;
  const folder = Object.assign(document.createElement("input"), { type: "file", webkitdirectory: true });
  folder.addEventListener("change", () => {
    take([...folder.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
  });
  folder.click();
});

// [{file, path}] as if they had been chosen in the form's own input.
function take(found) {
  const chosen = new DataTransfer();
  for (const { file } of found) chosen.items.add(file);
  fileInput().files = chosen.files;
  choose(found.map(({ path }) => path));
}

// [{file, path}], those of folders included. Entries have to be asked for before anything is awaited.
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map(filesBelow))).flat();
}

async function filesBelow(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [{ file, path: entry.fullPath.slice(1) }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed)); // 100 at most
    if (!some.length) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(filesBelow))).flat();
}

// ---- what was chosen ----

document.addEventListener("change", (event) => {
  if (event.target.matches(FILE)) choose([]);
});

function choose(paths) {
  chosenLast += 1;
  const form = fileInput().form;
  form.elements.paths.value = paths.length ? JSON.stringify(paths) : "";
  suggestName(form, paths);
  complain(tooBig() ? dropBox().dataset.tooBig : "");
}

function tooBig() {
  const sizes = [...(fileInput()?.files ?? [])].map((file) => file.size);
  return sizes.reduce((sum, size) => sum + size, 0) > Number(dropBox()?.dataset.most);
}

// In the place of what was said about a file before.
function complain(text) {
  const box = dropBox();
  box.parentElement.querySelector(".errors")?.remove();
  box.toggleAttribute("data-invalid", text !== "");
  if (!text) return;
  const list = document.createElement("ul");
  list.className = "errors";
  list.setAttribute("role", "alert");
  list.append(Object.assign(document.createElement("li"), { textContent: text }));
  box.after(list);
}

// A bot without a name yet is called like its folder, or like its first file, as far as a bot may be
// (platform/agon/site/bots/naming.py): "bot (1).py" is a second download.
function suggestName(form, paths) {
  const file = fileInput().files[0];
  if (!file || form.elements.name.value) return;
  const called = paths[0]?.includes("/") ? paths[0].split("/")[0] : file.name.replace(/\.(tar\.gz|[^.]+)$/, "");
  const allowed = called.normalize("NFC").replace(/[^\p{L}\p{N}_.+'-]+/gu, " ").replace(/^[^\p{L}\p{N}_]+/u, "");
  form.elements.name.value = [...allowed].slice(0, 40).join("").trim();
}

// ---- sending ----

// Before htmx, which listens on the form itself.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-submit]")) return;
  if (form.elements.way.value === "text") {
    fileInput().value = ""; // it would be sent along
    form.elements.paths.value = "";
  }
  if (tooBig()) {
    event.preventDefault();
    event.stopPropagation();
    return fileInput().focus();
  }
  const button = form.querySelector("button[data-sending]");
  button.disabled = true;
  button.dataset.label ??= button.textContent;
  button.textContent = button.dataset.sending;
}, { capture: true });

// failures.js says why. The form is as it was, with its files.
document.addEventListener("agon:not-sent", ({ target }) => {
  const button = target.querySelector("button[data-sending]");
  if (!button) return;
  button.disabled = false;
  button.textContent = button.dataset.label;
});

document.addEventListener("htmx:afterSwap", () => {
  document.querySelector("[data-submit] :is([data-invalid] input, [aria-invalid=true])")?.focus();
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});
