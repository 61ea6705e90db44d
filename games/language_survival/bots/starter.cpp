// Language Survival starter bot: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over standard input and
// output. Say READY, read the settings, then for each of the nine turns read its block and print your
// picks in one line: five languages on a weekday, two on a holiday.
// Print to std::cerr to debug: only you can read it.
#include <iostream>
#include <vector>

using Numbers = std::vector<int>;

static Numbers read_numbers(int count) {
    Numbers numbers(count);
    for (int &number : numbers) std::cin >> number;
    return numbers;
}

// The languages to pick, each 0 to 5; one may be there more than once. Make this part clever.
//
// shown[language][player] are believers as everybody sees them, you being player 0; mine[language] are
// your real believers, holidays included; holiday[language] is how often each was picked on the holiday
// before, by all four of you (empty on a holiday turn).
static Numbers choose(const Numbers &attention, const std::vector<Numbers> &shown, Numbers mine,
                      const Numbers &holiday, int picks) {
    (void)shown, (void)holiday; // not used yet
    Numbers chosen;
    for (int pick = 0; pick < picks; pick++) {
        // Go where attention is high and we have few believers so far.
        int best = 0;
        for (int language = 1; language < 6; language++)
            if (attention[language] - mine[language] > attention[best] - mine[best]) best = language;
        mine[best]++;
        chosen.push_back(best);
    }
    return chosen;
}

int main() {
    std::cout << "READY" << std::endl;
    read_numbers(3); // turns, players, languages: 9 4 6
    const Numbers attention = read_numbers(6);
    int turn;
    char day;
    while (std::cin >> turn >> day) {
        std::vector<Numbers> shown;
        for (int language = 0; language < 6; language++) shown.push_back(read_numbers(4));
        const Numbers mine = read_numbers(6);
        const Numbers holiday = day == 'W' ? read_numbers(6) : Numbers();
        const Numbers chosen = choose(attention, shown, mine, holiday, day == 'W' ? 5 : 2);
        for (size_t i = 0; i < chosen.size(); i++) std::cout << (i ? " " : "") << chosen[i];
        std::cout << std::endl; // std::endl also flushes: without that the answer may never leave
    }
}
