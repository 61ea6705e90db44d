// Honest Rock-Paper-Scissors starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon starts the program once a match and talks to it over standard input and output. Say READY, then
// answer each line with a move, R, P or S, in a line of its own:
//     C      claim a move (the first round)
//     C x    claim a move; x is what the opponent threw in the round before
//     T x    throw a move; x is what the opponent has claimed
// Print to std::cerr to debug: only you can read it.
#include <iostream>
#include <string>

static char beaten_by(char move) { return move == 'R' ? 'P' : move == 'P' ? 'S' : 'R'; }

int main() {
    std::cout << "READY" << std::endl;
    std::string line;
    char their_claim = 0, my_claim = 0;
    bool they_lied = false;
    while (std::getline(std::cin, line)) {
        char answer;
        if (line[0] == 'T') {
            their_claim = line[2];
            answer = they_lied ? beaten_by(their_claim) : my_claim; // honest to the honest
        } else {
            const bool first = line == "C";
            they_lied = !first && line[2] != their_claim;
            answer = my_claim = first ? 'R' : beaten_by(line[2]); // claim what would have won the last round
        }
        std::cout << answer << std::endl; // std::endl also flushes: without that the answer may never leave
    }
}
