// Samurai starter bot: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output. Say READY,
// read the settings, then for each of the nine turns read its block and print your picks in one
// line: five lords by day, two by night.
// console.error is for debugging: only you can read it.
const readline = require("readline");

// A list of `picks` lords, each 0 to 5; a lord may be there more than once. Make this part clever.
//
// strength: of the six lords. shown[lord][daimyo]: intimacy as everybody sees it, you being daimyo 0.
// mine[lord]: your real intimacy, nights included. night: how often each lord was picked in the night
// before, by all four of you (null on a night turn).
function choose(strength, shown, mine, night, picks) {
  const chosen = [];
  for (let pick = 0; pick < picks; pick++) {
    // Go where strength is high and we have done little so far.
    let best = 0;
    for (let lord = 1; lord < 6; lord++) {
      if (strength[lord] - mine[lord] > strength[best] - mine[best]) best = lord;
    }
    mine[best]++;
    chosen.push(best);
  }
  return chosen;
}

async function main() {
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const readWords = async () => (await lines.next()).value.split(" ");
  const readNumbers = async () => (await readWords()).map(Number);

  console.log("READY");
  const [turns, , lords] = await readNumbers(); // turns, daimyo, lords: 9 4 6
  const strength = await readNumbers();
  for (let turn = 1; turn <= turns; turn++) {
    const [, time] = await readWords();
    const shown = [];
    for (let lord = 0; lord < lords; lord++) shown.push(await readNumbers());
    const mine = await readNumbers();
    const night = time === "D" ? await readNumbers() : null;
    console.log(choose(strength, shown, mine, night, time === "D" ? 5 : 2).join(" "));
  }
}

main();
