// Camel Up starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output.
// Say READY; whenever it is your turn a line of JSON comes with all you may know, and you answer with one
// line: [0] to roll, [1,type,square] to lay your trap, [2,camel] to bet on the winner of the round, [3,camel]
// or [4,camel] on the winner or the loser of the game. Whatever is not allowed counts as a roll.
// console.error is for debugging: only you can read it.
const readline = require("readline");

function move(state) {
  const leader = state.camel_track.flat().pop();
  if (!state.round_bets.some(([camel]) => camel === leader)) {
    return [2, leader]; // five coins, if it still leads when the round ends
  }
  return [0];
}

console.log("READY");
const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => console.log(`[${move(JSON.parse(line)).join(", ")}]`));
