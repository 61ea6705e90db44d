// Coup starter bot: legal, short, and yours to change.
//
// Agon runs this file afresh for every move:
//
//     node starter.js HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
//
// Append exactly one of the MOVEs to the history file and end normally.
// Files written beside the program stay there until the match is over.
// console.error is for debugging: only you can read it.
//
// Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke
const fs = require("fs");

// One of `moves`. This is the part to make clever.
//
// `history` is everything played so far; every line is one turn, the last one may be unfinished.
function choose(history, theirCoins, myCoins, cards, moves) {
  if (moves.includes("C")) return "C"; // a coup cannot be stopped
  if (moves.includes("A") && cards.includes("^")) return "A"; // three coins, and we do have an Assassin
  if (moves.includes("T") && cards.includes("$")) return "T"; // tax, and we do have a Duke
  if (moves.includes("I\n")) return "I\n"; // income is always safe
  if (moves.includes("s") && cards.includes("!")) return "s"; // stop an assassin, and we do have a Contessa
  if (moves.includes("p")) return "p"; // let it pass
  if (moves.includes("\n")) return "\n"; // end the turn
  return moves[moves.length - 1]; // give up or show a card
}

// After an exchange: the cards to keep, the best first, out of two new ones and our own.
function keep(cards) {
  const value = "$^*!~";
  return [...cards].sort((a, b) => value.indexOf(a) - value.indexOf(b)).slice(0, cards.length - 2).join("");
}

const [file, theirCoins, myCoins, cards, ...moves] = process.argv.slice(2);
const history = fs.readFileSync(file, "utf8");
fs.appendFileSync(file, choose(history, Number(theirCoins), Number(myCoins), cards, moves));
if (cards.length > 2) console.log(keep(cards)); // three or four cards: our exchange has succeeded
