<?php
// Honest Rock-Paper-Scissors starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output. Say READY, then
// answer each line with a move, R, P or S, in a line of its own:
//     C      claim a move (the first round)
//     C x    claim a move; x is what the opponent threw in the round before
//     T x    throw a move; x is what the opponent has claimed
// fwrite(STDERR, ...) to debug: only you can read it.

const BEATEN_BY = ['R' => 'P', 'P' => 'S', 'S' => 'R'];

$their_claim = null;

echo "READY\n";
while (($line = fgets(STDIN)) !== false) {
    [$phase, $theirs] = [...explode(' ', trim($line)), null];
    if ($phase === 'T') {
        $their_claim = $theirs;
        echo $they_lied ? BEATEN_BY[$theirs] : $my_claim, "\n"; // honest to the honest
    } else {
        $they_lied = $theirs !== $their_claim;
        $my_claim = $theirs ? BEATEN_BY[$theirs] : 'R'; // claim what would have won the last round
        echo $my_claim, "\n";
    }
}
