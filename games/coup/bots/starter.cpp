// Coup starter bot: legal, short, and yours to change.
//
// Agon compiles this file once and runs the program afresh for every move:
//
//     ./bot HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
//
// Append exactly one of the MOVEs to the history file and end normally.
// Files written beside the program stay there until the match is over.
// Print to std::cerr to debug: only you can read it.
//
// Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

// One of `moves`. This is the part to make clever.
static std::string choose(const std::string &cards, const std::vector<std::string> &moves) {
    auto legal = [&](const char *move) { return std::count(moves.begin(), moves.end(), move) > 0; };
    auto held = [&](char card) { return cards.find(card) != std::string::npos; };
    if (legal("C")) return "C";              // a coup cannot be stopped
    if (legal("A") && held('^')) return "A"; // three coins, and we do have an Assassin
    if (legal("T") && held('$')) return "T"; // tax, and we do have a Duke
    if (legal("I\n")) return "I\n";          // income is always safe
    if (legal("s") && held('!')) return "s"; // stop an assassin, and we do have a Contessa
    if (legal("p")) return "p";              // let it pass
    if (legal("\n")) return "\n";            // end the turn
    return moves.back();                     // give up or show a card
}

// After an exchange: the cards to keep, the best first, out of two new ones and our own.
static std::string keep(std::string cards) {
    const std::string value = "$^*!~";
    std::stable_sort(cards.begin(), cards.end(), [&](char a, char b) { return value.find(a) < value.find(b); });
    return cards.substr(0, cards.size() - 2);
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const std::string cards = argv[4];
    const std::vector<std::string> moves(argv + 5, argv + argc);
    std::ofstream(argv[1], std::ios::app) << choose(cards, moves);
    if (cards.size() > 2) std::cout << keep(cards) << std::endl; // three or four cards: our exchange has succeeded
}
