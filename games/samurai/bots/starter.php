<?php
// Samurai starter bot: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output. Say READY,
// read the settings, then for each of the nine turns read its block and print your picks in one
// line: five lords by day, two by night.
// fwrite(STDERR, ...) to debug: only you can read it.

function read_numbers() {
    return array_map('intval', explode(' ', fgets(STDIN)));
}

// A list of $picks lords, each 0 to 5; a lord may be there more than once. Make this part clever.
//
// $strength: of the six lords. $shown[lord][daimyo]: intimacy as everybody sees it, you being daimyo 0.
// $mine[lord]: your real intimacy, nights included. $night: how often each lord was picked in the night
// before, by all four of you (null on a night turn).
function choose($strength, $shown, $mine, $night, $picks) {
    $chosen = [];
    for ($pick = 0; $pick < $picks; $pick++) {
        // Go where strength is high and we have done little so far.
        $best = 0;
        for ($lord = 1; $lord < 6; $lord++) {
            if ($strength[$lord] - $mine[$lord] > $strength[$best] - $mine[$best]) $best = $lord;
        }
        $mine[$best]++;
        $chosen[] = $best;
    }
    return $chosen;
}

echo "READY\n";
[$turns, , $lords] = read_numbers(); // turns, daimyo, lords: 9 4 6
$strength = read_numbers();
for ($i = 0; $i < $turns; $i++) {
    [$turn, $time] = explode(' ', trim(fgets(STDIN)));
    $shown = [];
    for ($lord = 0; $lord < $lords; $lord++) $shown[] = read_numbers();
    $mine = read_numbers();
    $night = $time === 'D' ? read_numbers() : null;
    echo implode(' ', choose($strength, $shown, $mine, $night, $time === 'D' ? 5 : 2)), "\n";
}
