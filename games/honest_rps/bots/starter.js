// Honest Rock-Paper-Scissors starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output. Say READY, then
// answer each line with a move, R, P or S, in a line of its own:
//     C      claim a move (the first round)
//     C x    claim a move; x is what the opponent threw in the round before
//     T x    throw a move; x is what the opponent has claimed
// console.error is for debugging: only you can read it.
const readline = require("readline");

const BEATEN_BY = { R: "P", P: "S", S: "R" };
let theirClaim, myClaim, theyLied;

function answer(phase, theirs) {
  if (phase === "T") {
    theirClaim = theirs;
    return theyLied ? BEATEN_BY[theirs] : myClaim; // honest to the honest
  }
  theyLied = theirs !== theirClaim;
  myClaim = theirs ? BEATEN_BY[theirs] : "R"; // claim what would have won the last round
  return myClaim;
}

console.log("READY");
readline.createInterface({ input: process.stdin }).on("line", (line) => console.log(answer(...line.split(" "))));
