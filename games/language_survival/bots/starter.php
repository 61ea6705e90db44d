<?php
// Language Survival starter bot: legal, short, and yours to change.
//
// Agon starts this file once a match and talks to it over standard input and output. Say READY, read the
// settings, then for each of the nine turns read its block and print your picks in one line: five
// languages on a weekday, two on a holiday.
// fwrite(STDERR, ...) to debug: only you can read it.

function read_numbers() {
    return array_map('intval', explode(' ', fgets(STDIN)));
}

// A list of $picks languages, each 0 to 5; one may be there more than once. Make this part clever.
//
// $attention: of the six languages. $shown[language][player]: believers as everybody sees them, you being player 0.
// $mine[language]: your real believers, holidays included. $holiday: how often each was picked on the holiday
// before, by all four of you (null on a holiday turn).
function choose($attention, $shown, $mine, $holiday, $picks) {
    $chosen = [];
    for ($pick = 0; $pick < $picks; $pick++) {
        // Go where attention is high and we have few believers so far.
        $best = 0;
        for ($language = 1; $language < 6; $language++) {
            if ($attention[$language] - $mine[$language] > $attention[$best] - $mine[$best]) $best = $language;
        }
        $mine[$best]++;
        $chosen[] = $best;
    }
    return $chosen;
}

echo "READY\n";
[$turns, , $languages] = read_numbers(); // turns, players, languages: 9 4 6
$attention = read_numbers();
for ($i = 0; $i < $turns; $i++) {
    [$turn, $day] = explode(' ', trim(fgets(STDIN)));
    $shown = [];
    for ($language = 0; $language < $languages; $language++) $shown[] = read_numbers();
    $mine = read_numbers();
    $holiday = $day === 'W' ? read_numbers() : null;
    echo implode(' ', choose($attention, $shown, $mine, $holiday, $day === 'W' ? 5 : 2)), "\n";
}
