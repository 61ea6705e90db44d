// The player's timeline: how the players stood (a line a seat), marks at faults and key moments, and a slider.
//
// Marks and lines are a fixed number of nodes however long the match is. A mark is [frame, kind, seat, text].

import { draw, make, seatClass } from "/static/js/drawing.js";

const HEIGHT = 100;
const NEAR = 7; // pixels from a mark within which the pointer is at it

export const TIMELINE_STYLE = `
  .timeline { position: relative; }
  .timeline svg { display: block; box-sizing: border-box; width: calc(100% - 16px); margin: 0 8px; touch-action: none; cursor: pointer; }
  .curve { height: 4.5rem; background: var(--sunken, #f2eee6); border-radius: 0.4rem 0.4rem 0 0; }
  .curve polyline { fill: none; stroke: var(--seat); stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
  .curve .s1 { stroke-dasharray: 7 3; } .curve .s2 { stroke-dasharray: 2 3; } .curve .s3 { stroke-dasharray: 9 3 2 3; }
  .marks { height: 1.1rem; background: var(--sunken, #f2eee6); border-radius: 0 0 0.4rem 0.4rem; overflow: visible; }
  .marks path { fill: none; vector-effect: non-scaling-stroke; }
  .moment-marks { stroke: var(--ink, #000); stroke-width: 6; stroke-linecap: round; }
  .fault-marks { stroke: var(--bad, #ad0f3c); stroke-width: 8; stroke-linecap: square; }
  .now { stroke: var(--ink, #000); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
  .timeline input { scroll-margin-bottom: 4.5rem; display: block; width: 100%; height: 1.6rem; margin: 0; accent-color: var(--accent, #a4390f); cursor: pointer; }
  .hint { position: absolute; bottom: calc(100% + 0.2rem); z-index: 2; max-width: min(22rem, 90%); padding: 0.2rem 0.5rem;
    border-radius: 0.3rem; background: var(--ink, #000); color: var(--paper, #fff); font-size: 0.8125rem; pointer-events: none;
    overflow-wrap: anywhere; transform: translateX(-50%); }
  @media (pointer: coarse) { .timeline input { height: 2.75rem; } }
`;

// `seek(at)` is called when the reader chooses a frame; `name(at)` says which frame it is. `measure` draws the match as
// long as it is by now.
export function timeline({ label, standing, seek, name }) {
  const box = make("div", "timeline");
  const slider = Object.assign(make("input"), { type: "range", min: 0, max: 0, value: 0 });
  slider.setAttribute("aria-label", label);
  slider.addEventListener("input", () => seek(slider.valueAsNumber));
  const hint = Object.assign(make("div", "hint"), { hidden: true });
  box.append(slider, hint);
  let drawn = [];
  const measure = ({ last, marks, curve }) => {
    for (const old of drawn) old.remove();
    const pictures = [curve.length > 1 ? lines(curve, last, standing) : null, marks.length ? dots(marks, last) : null];
    drawn = pictures.filter(Boolean);
    for (const picture of drawn) listen(picture, { last, marks, seek, name, hint, box });
    slider.max = last;
    slider.before(...drawn);
  };
  const show = (at, text) => {
    slider.value = at;
    slider.setAttribute("aria-valuetext", text);
    for (const picture of drawn) {
      for (const end of ["x1", "x2"]) picture.lastChild.setAttribute(end, at);
    }
  };
  return { box, measure, show };
}

function picture(className, last, label) {
  const made = draw("svg", { class: className, viewBox: `0 0 ${Math.max(1, last)} ${HEIGHT}`, preserveAspectRatio: "none" });
  made.setAttribute(label ? "role" : "aria-hidden", label ? "img" : "true");
  if (label) made.setAttribute("aria-label", label);
  return made;
}

function now() {
  return draw("line", { class: "now", y1: 0, y2: HEIGHT, x1: 0, x2: 0 });
}

// curve: [frame, one number a seat] in the order of the frames.
function lines(curve, last, label) {
  const made = picture("curve", last, label);
  const values = curve.flatMap(([, ...standing]) => standing);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value) => HEIGHT * (0.94 - (0.88 * (value - low)) / Math.max(1e-9, high - low));
  for (let seat = curve[0].length - 2; seat >= 0; seat -= 1) {
    const points = curve.map(([frame, ...standing]) => `${frame},${y(standing[seat]).toFixed(1)}`);
    made.append(draw("polyline", { class: seatClass(seat), points: points.join(" ") }));
  }
  made.append(now());
  return made;
}

function dots(marks, last) {
  const made = picture("marks", last, "");
  for (const kind of ["moment", "fault"]) {
    const places = new Set(marks.filter((mark) => mark[1] === kind).map(([at]) => at));
    made.append(draw("path", { class: `${kind}-marks`, d: [...places].map((at) => `M${at} ${HEIGHT / 2}h0`).join("") }));
  }
  made.append(now());
  return made;
}

// A pointer on the curve or the marks seeks, and is told what is there.
function listen(picture, { last, marks, seek, name, hint, box }) {
  const place = (event) => {
    const { left, width } = picture.getBoundingClientRect();
    const exact = (last * (event.clientX - left)) / width;
    const reach = (last * NEAR) / width;
    const near = marks.filter(([at]) => Math.abs(at - exact) <= reach);
    near.sort((one, other) => Math.abs(one[0] - exact) - Math.abs(other[0] - exact));
    return { at: near[0]?.[0] ?? Math.min(last, Math.max(0, Math.round(exact))), text: near[0]?.[3] ?? "" };
  };
  picture.addEventListener("pointermove", (event) => {
    const { at, text } = place(event);
    if (event.buttons === 1) seek(at);
    hint.textContent = text ? `${name(at)}: ${text}` : name(at);
    hint.hidden = false;
    const { left, width } = box.getBoundingClientRect();
    const half = `${hint.offsetWidth / 2}px`;
    hint.style.left = `clamp(${half}, ${(100 * (event.clientX - left)) / width}%, calc(100% - ${half}))`;
  });
  picture.addEventListener("pointerleave", () => { hint.hidden = true; });
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture?.(event.pointerId);
    seek(place(event).at);
  });
}
