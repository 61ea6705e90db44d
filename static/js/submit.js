// The upload form: dropping a file anywhere on its box, showing which one, saying at once that it is too big (the
// server would only after all of it has been sent), and no second click while it is sent.
"use strict";

const form = document.querySelector("[data-submit]");
const drop = form?.querySelector("[data-drop]");
const input = drop?.querySelector("input[type=file]");

function over(event) {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  drop.classList.add("over");
}

function dropped(event) {
  drop.classList.remove("over");
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  input.files = event.dataTransfer.files;
  chosen();
}

function chosen() {
  suggestName();
  complain(tooBig() ? drop.dataset.tooBig : "");
}

function tooBig() {
  return input.files[0]?.size > Number(drop.dataset.most);
}

// In the place of what was said about a file before.
function complain(text) {
  drop.parentElement.querySelector(".errors")?.remove();
  drop.toggleAttribute("data-invalid", text !== "");
  if (!text) return;
  const list = document.createElement("ul");
  list.className = "errors";
  list.setAttribute("role", "alert");
  list.append(Object.assign(document.createElement("li"), { textContent: text }));
  drop.after(list);
}

// A bot without a name yet is called like its file.
function suggestName() {
  const name = form.elements.name;
  const file = input.files[0];
  if (file && !name.value) name.value = file.name.replace(/\.(tar\.gz|[^.]+)$/, "").slice(0, 40);
}

if (drop) {
  drop.addEventListener("dragenter", over);
  drop.addEventListener("dragover", over);
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", dropped);
  input.addEventListener("change", chosen);
}

form?.addEventListener("submit", (event) => {
  if (form.elements.way.value === "text") input.value = ""; // it would be sent along
  if (tooBig()) {
    event.preventDefault();
    return input.focus();
  }
  const button = form.querySelector("button[data-sending]");
  button.disabled = true;
  button.textContent = button.dataset.sending;
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});
