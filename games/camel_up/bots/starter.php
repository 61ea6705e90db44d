<?php
// Camel Up starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output.
// Say READY; whenever it is your turn a line of JSON comes with all you may know, and you answer with one
// line: [0] to roll, [1,type,square] to lay your trap, [2,camel] to bet on the winner of the round, [3,camel]
// or [4,camel] on the winner or the loser of the game. Whatever is not allowed counts as a roll.
// fwrite(STDERR, ...) to debug: only you can read it.

function move($state) {
    $camels = array_merge(...$state['camel_track']);
    $leader = end($camels);
    foreach ($state['round_bets'] as [$camel, $player]) {
        if ($camel === $leader) return [0];
    }
    return [2, $leader]; // five coins, if it still leads when the round ends
}

echo "READY\n";
while (($line = fgets(STDIN)) !== false) {
    echo "[", implode(", ", move(json_decode($line, true))), "]\n";
}
