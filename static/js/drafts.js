// What is written in the editor, kept in this browser alone: one draft for each of the reader's bots of a game, and one
// for a new bot. Without storage nothing is kept.
//
// A draft is {text, language, source, at, stamp}. source: what its text began with, such as "version 7". A tab knows the
// stamp that it has read or written last; where storage holds another one, another tab has written, and `write` refuses.
// What a visitor wrote becomes the draft of a new bot of the account that they sign in to, once it has none.
// Signing out removes all drafts, and entering a program its draft: see page.js.

const PREFIX = "draft of ";

export function draftsOf(game, who) {
  const place = (bot, owner = who) => `${PREFIX}${game}/${owner}/${bot}`;
  for (const older of [PREFIX + game, place("new", "visitor")]) move(older, place("new"));
  return {
    read: (bot) => read(place(bot)),
    open: (bot) => draft(place(bot)),
  };
}

function draft(name) {
  let known = read(name)?.stamp ?? null;
  return {
    name,
    read: () => read(name),
    // What another tab has written meanwhile, in place of which nothing is kept; null if this was kept.
    write: (written) => {
      const found = read(name);
      if (found && found.stamp !== known && found.text !== written.text) return found;
      known = crypto.getRandomValues(new Uint32Array(2)).join("-");
      attempt(() => localStorage.setItem(name, JSON.stringify({ ...written, at: Date.now(), stamp: known })));
      return null;
    },
    // What another tab has written is known from now on: it may be replaced.
    settle: () => (known = read(name)?.stamp ?? null),
    forget: () => attempt(() => localStorage.removeItem(name)),
    // For page.js: the draft that the form is sent with, as it is now.
    sent: () => attempt(() => sessionStorage.setItem("draft sent", JSON.stringify({ name, stamp: known }))),
  };
}

function move(from, to) {
  attempt(() => {
    const found = localStorage.getItem(from);
    if (from === to || found === null || localStorage.getItem(to) !== null) return;
    localStorage.setItem(to, found);
    localStorage.removeItem(from);
  });
}

function read(name) {
  const found = attempt(() => JSON.parse(localStorage.getItem(name)));
  return typeof found?.text === "string" ? found : null;
}

function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
