// Camel Up starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over standard input and output.
// Say READY; whenever it is your turn a line of JSON comes with all you may know, and you answer with one
// line: [0] to roll, [1,type,square] to lay your trap, [2,camel] to bet on the winner of the round, [3,camel]
// or [4,camel] on the winner or the loser of the game. Whatever is not allowed counts as a roll.
// Print to std::cerr to debug: only you can read it.
#include <iostream>
#include <string>

// The number before the last ] of the first list after `name`: of "camel_track" that is the camel ahead.
static int leader(const std::string &state) {
    const std::string name = "\"camel_track\":";
    const size_t start = state.find(name) + name.size(), end = state.find("]]", start);
    return state[state.find_last_of("01234", end)] - '0';
}

// Whether somebody has bet on this camel in this round: "round_bets":[[camel,player],...]
static bool has_bet(const std::string &state, int camel) {
    const std::string name = "\"round_bets\":";
    const size_t start = state.find(name) + name.size(), end = state.find("\"game_winner_bets\"");
    return state.substr(start, end - start).find("[" + std::to_string(camel) + ",") != std::string::npos;
}

int main() {
    std::cout << "READY" << std::endl;
    std::string state;
    while (std::getline(std::cin, state)) {
        const int camel = leader(state);
        if (has_bet(state, camel))
            std::cout << "[0]" << std::endl; // std::endl also flushes: without that the answer may never leave
        else
            std::cout << "[2, " << camel << "]" << std::endl; // five coins, if it still leads when the round ends
    }
}
