// Small helpers for whatever draws a replay: elements, shapes, seats, and words in the language of the page.
//
// Whatever comes from a log is put in as text, never as HTML: bots choose their names, and reasons quote what they
// sent.

// The words of a viewer in the language of the page, English where it has no others.
export function choose(words, language) {
  return words[String(language).slice(0, 2)] ?? words.en;
}

// A number with its noun: `forms` by the language's plural categories, { one: "coin", other: "coins" }.
export function plural(language, count, forms) {
  return forms[new Intl.PluralRules(language).select(Number(count))] ?? forms.other;
}

export function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}

// An SVG element with its attributes, and what is in it: text or other elements.
export function draw(tag, attributes = {}, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

// A box whose contents may be wider than the page; it can be scrolled with the keyboard.
export function scroll(label) {
  const box = make("div", "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return box;
}

// Each seat has a color and a shape, so that the color is never all there is. Classes s0 to s3 set --seat.
const SHAPES = ["M8 2a6 6 0 1 0 .01 0z", "M2.5 2.5h11v11h-11z", "M8 1.5l7 12.5H1z", "M8 .8L15.2 8 8 15.2.8 8z"];

export function seatShape(seat) {
  const shape = draw("svg", { class: `shape ${seatClass(seat)}`, viewBox: "0 0 16 16", "aria-hidden": "true", "data-seat": seat });
  shape.append(draw("path", { d: SHAPES[seat % SHAPES.length] }));
  return shape;
}

export function seatClass(seat) {
  return `s${seat % SHAPES.length}`;
}

// By how much a number has changed since the step before; an empty text where it has not.
export function change(now, before) {
  if (before === undefined || now === before) return "";
  return make("span", now > before ? "delta" : "delta less", `${now > before ? "+" : "−"}${Math.abs(now - before)}`);
}

// A seat's name behind its shape.
export function seatName(seat, name) {
  const box = make("span", "name");
  box.append(seatShape(seat), name);
  return box;
}
