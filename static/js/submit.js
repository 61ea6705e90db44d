// The upload form: dropping a file anywhere on its box, showing which one, and no second click while it is sent.
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
  suggestName();
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
  input.addEventListener("change", suggestName);
}

form?.addEventListener("submit", () => {
  const button = form.querySelector("button[data-sending]");
  button.disabled = true;
  button.textContent = button.dataset.sending;
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});
