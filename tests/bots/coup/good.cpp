// Takes a coin until it can afford a coup; never lies, never blocks, never challenges.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const std::string cards = argv[4];
    const std::vector<std::string> moves(argv + 5, argv + argc);
    std::string move = moves.back();
    for (const std::string wanted : {"C", "p", "\n", "I\n"})
        if (std::find(moves.begin(), moves.end(), wanted) != moves.end()) {
            move = wanted;
            break;
        }
    std::ofstream(argv[1], std::ios::app) << move;
    if (cards.size() > 2 && move == "\n") std::cout << cards.substr(2) << '\n';
}
