// How the player looks; a game's viewer adds its own style sheet. Colors are the page's custom properties.
// A replay that plays on a page that is about something else (`data-play`) is the picture and little more.

export const PLAYER_STYLE = `
  :host { display: block; container-type: inline-size; }
  .s0 { --seat: light-dark(#0a63a8, #6fb7f0); } .s1 { --seat: light-dark(#b84a00, #ff9d5c); }
  .s2 { --seat: light-dark(#00735c, #4fd1ab); } .s3 { --seat: light-dark(#8f3f86, #e5a3dc); }
  * { box-sizing: border-box; }
  .player-box { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.6rem; outline-offset: 6px; }
  .player-box > * { grid-column: 1 / -1; } .player-box > .controls { grid-column: 1; } .player-box > .tools { grid-column: 2; }
  .player-box:focus:not(:focus-visible) { outline: none; }
  .board { min-width: 0; }
  :host(:fullscreen) { overflow: auto; padding: clamp(0.75rem, 2vw, 1.5rem); background: var(--paper, #fff); color: var(--ink, #000); }
  :host(:fullscreen) .player-box { max-width: 75rem; min-height: 100%; margin: auto; align-content: center; }
  .controls, .tools { display: flex; align-items: center; gap: 0.3rem; } .tools { flex-wrap: wrap; } .tools output { flex: 1; }
  .notice:not(:empty) { font-size: 0.85em; overflow-wrap: anywhere; }
  button, select { min-width: 2.75rem; min-height: 2.75rem; border: 1px solid transparent; border-radius: 0.4rem;
    background: transparent; color: inherit; font: inherit; cursor: pointer; }
  button { display: grid; place-items: center; padding: 0; }
  button:hover, select:hover { background: var(--sunken, #f2eee6); }
  [hidden] { display: none !important; }
  button[aria-disabled="true"] { opacity: 0.4; cursor: default; }
  select { padding: 0; border-color: var(--line, #ccc); background: var(--surface, #fff); }
  button[data-act="play"] { border-color: var(--accent, #a4390f); color: var(--accent, #a4390f); }
  .live { display: inline-flex; align-items: center; gap: 0.4rem; padding: 0 0.7rem; border-color: var(--line, #ccc); color: var(--muted, #666); font-weight: 650; }
  .live::before { content: ""; width: 0.6rem; height: 0.6rem; border-radius: 50%; border: 2px solid currentColor; }
  .live[aria-pressed="true"] { border-color: var(--bad, #ad0f3c); color: var(--bad, #ad0f3c); } .live[aria-pressed="true"]::before { background: currentColor; }
  .icon { width: 1.4rem; height: 1.4rem; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
  .icon.solid { fill: currentColor; }
  :focus-visible { outline: 3px solid var(--accent, #a4390f); outline-offset: 1px; border-radius: 0.4rem; }
  output { padding-inline: 0.4em; white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--muted, #666); }
  .legend { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 1.2rem; min-height: 1.5em; font-size: 0.875rem; }
  .stand { display: inline-flex; gap: 0.4em; min-width: 0; } .stand b { flex: none; min-width: 4ch; } .stand .name { min-width: 0; }
  .note:empty { display: none; }
  .stand b { font-variant-numeric: tabular-nums; }
  .shape { width: 0.75em; height: 0.75em; margin-inline-end: 0.35em; fill: var(--seat); flex: none; }
  .name:has(> .shape) { position: relative; display: inline-block; max-width: 100%; padding-inline-start: 1.1em; unicode-bidi: isolate; font-weight: 600; overflow-wrap: anywhere; }
  .name > .shape { position: absolute; inset-inline-start: 0; top: 0.4em; }
  .name > .champion { position: absolute; top: -0.45em; inset-inline-start: -0.2em; width: 1.15em; height: 0.77em; fill: var(--gold, #a87900); stroke: var(--surface, #fff); stroke-width: 1.5; }
  .legend .name:has(> .shape) { font-weight: 400; }
  :is(.says, .stand) .name:has(> .shape) { max-width: min(15rem, 100%); overflow-x: clip; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
  .says { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: 0.25rem; min-height: 8rem; padding: 0.7rem 0.9rem; border-radius: 0.5rem;
    background: var(--sunken, #f2eee6); overflow-wrap: anywhere; }
  .again { justify-self: start; padding: 0 0.9rem; border-color: var(--line-strong, #888); }
  .says p { margin: 0; word-break: auto-phrase; }
  .title { font-size: 0.875rem; color: var(--muted, #666); }
  .line { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
  .line .what { min-width: 0; }
  .faulty { padding: 0.15rem 0.4rem; border-radius: 0.3rem; background: var(--bad-soft, #fde7ec); }
  .key-moment::before { content: "★"; content: "★" / ""; margin-inline-end: 0.35em; color: var(--gold, #a87900); }
  .fault { color: var(--bad, #ad0f3c); }
  .took { display: inline-flex; align-items: center; gap: 0.4rem; white-space: nowrap; font-size: 0.8125rem; color: var(--muted, #666); font-variant-numeric: tabular-nums; }
  .meter { width: 2.5rem; height: 0.3rem; border-radius: 0.2rem; background: var(--line, #ccc); overflow: hidden; }
  .used { display: block; min-width: 1px; height: 100%; background: var(--line-strong, #888); } .used.long { background: var(--bad, #ad0f3c); }
  .outcome { order: -1; font-weight: 700; font-size: 1.25em; }
  .note { margin: 0; font-size: 0.875rem; color: var(--muted, #666); overflow-wrap: anywhere; }
  .help { max-width: 22rem; margin: auto; padding: 1rem 1.25rem; border: 1px solid var(--line-strong, #888); border-radius: 0.5rem;
    background: var(--surface, #fff); color: var(--ink, #000); }
  .help dl { display: grid; grid-template-columns: auto 1fr; gap: 0.3rem 1rem; margin: 0.6rem 0 0; }
  .help dt { font-weight: 600; white-space: nowrap; } .help dd { margin: 0; }
  .scroll { overflow-x: auto; }
  .name { font-weight: 600; overflow-wrap: anywhere; }
  .delta { font-weight: 700; color: var(--good, #1a6b40); } .delta.less { color: var(--bad, #ad0f3c); }
  .small { font-size: 0.85em; color: var(--muted, #666); }
  :host([data-play]) :is(.curve, .marks, .legend, .tools, [data-act="first"], [data-act="last"]) { display: none; }
  :host([data-play]) .player-box { min-height: 100%; align-content: center; align-items: center; }
  :host([data-play]) .controls { grid-area: 2 / 1; } :host([data-play]) .timeline { grid-area: 2 / 2; }
  :host([data-play]) .says { position: absolute; width: 1px; min-height: 0; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); }
  /* The buttons stay in sight while the board is looked at. */
  :host(:not([data-play])) .controls { position: sticky; bottom: 0; z-index: 1; padding-block: 0.2rem; background: var(--surface, #fff); }
  @container (width < 46rem) {
    :host(:not([data-play])) .controls { justify-content: center; border-top: 1px solid var(--line, #ccc); }
  }
  @container (width < 41rem) {
    :host(:not([data-play])) .player-box { grid-template-columns: minmax(0, 1fr); } .player-box > :is(.controls, .tools) { grid-column: 1 / -1; } .tools { justify-content: center; } .tools output { flex: 1 0 100%; order: -1; text-align: center; }
    .legend .stand { flex: 1 1 8.5rem; }
  }
  @container (width < 30rem) { .meter { display: none; } select { width: 3.3rem; min-width: 0; } .tools { gap: 0.1rem; } }
  /* The picture is drawn in its own colors, on its own ground, where the system replaces all others. */
  @media (forced-colors: active) { .board { forced-color-adjust: none; background: var(--surface, #fff); color: var(--ink, #000); } .used, .meter { forced-color-adjust: none; } }
  @media print { .controls, .tools, .timeline input { display: none; } }
`;
