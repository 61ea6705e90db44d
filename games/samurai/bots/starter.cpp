// Samurai starter bot: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over
// standard input and output. Say READY, read the settings, then for each of the nine turns read its
// block and print your picks in one line: five lords by day, two by night.
// Print to std::cerr to debug: only you can read it.
#include <iostream>
#include <vector>

using Numbers = std::vector<int>;

static Numbers read_numbers(int count) {
    Numbers numbers(count);
    for (int &number : numbers) std::cin >> number;
    return numbers;
}

// The lords to pick, each 0 to 5; a lord may be there more than once. Make this part clever.
//
// shown[lord][daimyo] is intimacy as everybody sees it, you being daimyo 0; mine[lord] is your real
// intimacy, nights included; night[lord] is how often each lord was picked in the night before, by
// all four of you (empty on a night turn).
static Numbers choose(const Numbers &strength, const std::vector<Numbers> &shown, Numbers mine,
                      const Numbers &night, int picks) {
    (void)shown, (void)night; // not used yet
    Numbers chosen;
    for (int pick = 0; pick < picks; pick++) {
        // Go where strength is high and we have done little so far.
        int best = 0;
        for (int lord = 1; lord < 6; lord++)
            if (strength[lord] - mine[lord] > strength[best] - mine[best]) best = lord;
        mine[best]++;
        chosen.push_back(best);
    }
    return chosen;
}

int main() {
    std::cout << "READY" << std::endl;
    const Numbers settings = read_numbers(3); // turns, daimyo, lords: 9 4 6
    const Numbers strength = read_numbers(6);
    int turn;
    char time;
    while (std::cin >> turn >> time) {
        std::vector<Numbers> shown;
        for (int lord = 0; lord < 6; lord++) shown.push_back(read_numbers(4));
        const Numbers mine = read_numbers(6);
        const Numbers night = time == 'D' ? read_numbers(6) : Numbers();
        const Numbers chosen = choose(strength, shown, mine, night, time == 'D' ? 5 : 2);
        for (size_t i = 0; i < chosen.size(); i++) std::cout << (i ? " " : "") << chosen[i];
        std::cout << std::endl; // std::endl also flushes: without that the answer may never leave
    }
}
