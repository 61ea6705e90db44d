// Language Survival starter bot: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output. Say READY, read the
// settings, then for each of the nine turns read its block and print your picks in one line: five
// languages on a weekday, two on a holiday.
// console.error is for debugging: only you can read it.
const readline = require("readline");

// A list of `picks` languages, each 0 to 5; one may be there more than once. Make this part clever.
//
// attention: of the six languages. shown[language][player]: believers as everybody sees them, you being player 0.
// mine[language]: your real believers, holidays included. holiday: how often each was picked on the holiday
// before, by all four of you (null on a holiday turn).
function choose(attention, shown, mine, holiday, picks) {
  const chosen = [];
  for (let pick = 0; pick < picks; pick++) {
    // Go where attention is high and we have few believers so far.
    let best = 0;
    for (let language = 1; language < 6; language++) {
      if (attention[language] - mine[language] > attention[best] - mine[best]) best = language;
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
  const [turns, , languages] = await readNumbers(); // turns, players, languages: 9 4 6
  const attention = await readNumbers();
  for (let turn = 1; turn <= turns; turn++) {
    const [, day] = await readWords();
    const shown = [];
    for (let language = 0; language < languages; language++) shown.push(await readNumbers());
    const mine = await readNumbers();
    const holiday = day === "W" ? await readNumbers() : null;
    console.log(choose(attention, shown, mine, holiday, day === "W" ? 5 : 2).join(" "));
  }
}

main();
