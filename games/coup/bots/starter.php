<?php
// Coup starter bot: legal, short, and yours to change.
//
// Agon runs this file afresh for every move:
//
//     php starter.php HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
//
// Append exactly one of the MOVEs to the history file and end normally.
// Files written beside the program stay there until the match is over.
// fwrite(STDERR, ...) to debug: only you can read it.
//
// Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke

// One of $moves. This is the part to make clever.
//
// $history is everything played so far; every line is one turn, the last one may be unfinished.
function choose($history, $their_coins, $my_coins, $cards, $moves) {
    if (in_array('C', $moves)) return 'C'; // a coup cannot be stopped
    if (in_array('A', $moves) && str_contains($cards, '^')) return 'A'; // three coins, and we do have an Assassin
    if (in_array('T', $moves) && str_contains($cards, '$')) return 'T'; // tax, and we do have a Duke
    if (in_array("I\n", $moves)) return "I\n"; // income is always safe
    if (in_array('s', $moves) && str_contains($cards, '!')) return 's'; // stop an assassin, and we do have a Contessa
    if (in_array('p', $moves)) return 'p'; // let it pass
    if (in_array("\n", $moves)) return "\n"; // end the turn
    return end($moves); // give up or show a card
}

// After an exchange: the cards to keep, the best first, out of two new ones and our own.
function keep($cards) {
    $kept = str_split($cards);
    usort($kept, fn($a, $b) => strpos('$^*!~', $a) <=> strpos('$^*!~', $b));
    return implode(array_slice($kept, 0, strlen($cards) - 2));
}

[, $file, $their_coins, $my_coins, $cards] = $argv;
$move = choose(file_get_contents($file), (int) $their_coins, (int) $my_coins, $cards, array_slice($argv, 5));
file_put_contents($file, $move, FILE_APPEND);
if (strlen($cards) > 2) echo keep($cards), "\n"; // three or four cards: our exchange has succeeded
