// Sultan: counts out the round, plays the rest of the game thousands of times, and takes what pays best.
//
// 1. The round is played out in every way there is (at most 29,160): how likely each camel is to be first
//    and second when it ends tells what a bet on it is worth.
// 2. For each place where its trap may lie the same is done with the trap there: what it would catch, and
//    what it would do to the bets that lie on the table, its own for it, the others' against it.
// 3. The game is played to its end by dice alone, thousands of times: how likely each camel is to win or to
//    come last. What a bet on that is worth depends on how many of the hidden bets before it are right;
//    the others are taken to bet on what is likely.
// A roll is worth its coin, and the best of all that is done.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int CAMELS = 5, FINISH = 16, GAMES = 3000;
constexpr double PATIENCE = 0.5; // coins that a game bet must bring more than others, for it can wait

// JSON, as much of it as comes.
struct Value {
    double number = 0;
    bool null = false;
    std::vector<Value> items;                            // of a list
    std::vector<std::pair<std::string, Value>> members;  // of an object

    const Value &operator[](const char *name) const {
        for (const auto &[key, value] : members)
            if (key == name) return value;
        static const Value nothing;
        return nothing;
    }
    int whole() const { return static_cast<int>(number); }
};

std::string read_word(const char *&at) {
    std::string word;
    for (at++; *at && *at != '"'; at++) word += *at;
    at++;
    return word;
}

Value read_value(const char *&at) {
    Value value;
    if (*at == '[' || *at == '{') {
        const char end = *at == '[' ? ']' : '}';
        for (at++; *at && *at != end; at += *at == ',') {
            if (end == ']') {
                value.items.push_back(read_value(at));
                continue;
            }
            std::string name = read_word(at);
            at++; // the colon
            value.members.emplace_back(name, read_value(at));
        }
        at++;
    } else if (*at == '"') {
        read_word(at);
    } else if (std::isalpha(static_cast<unsigned char>(*at))) {
        value.number = *at == 't';
        value.null = *at == 'n';
        while (std::isalpha(static_cast<unsigned char>(*at))) at++;
    } else {
        char *after;
        value.number = std::strtod(at, &after);
        at = after == at ? at + 1 : after;
    }
    return value;
}

struct Luck {
    uint64_t state = 88172645463325252u;
    uint64_t next() {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return state;
    }
    int below(int limit) { return static_cast<int>((next() >> 11) % static_cast<uint64_t>(limit)); }
};

// Camels in the order of the race, the last one first, each with its square: a stack is a run of equal squares.
struct Race {
    std::array<int, CAMELS> camel{}, square{};

    // Move a camel and its riders; the square that the die takes them to. traps: 0, 1 or -1 by square.
    int move(int who, int die, const std::array<int, 32> &traps) {
        int from = 0;
        while (camel[from] != who) from++;
        int to = from;
        while (to < CAMELS && square[to] == square[from]) to++;
        const int size = to - from, landed = square[from] + die, goal = landed + traps[landed];
        std::array<int, CAMELS> unit{};
        std::copy(camel.begin() + from, camel.begin() + to, unit.begin());
        // Take them out, and find their place among the others: on top of their square, or under it.
        std::copy(camel.begin() + to, camel.end(), camel.begin() + from);
        std::copy(square.begin() + to, square.end(), square.begin() + from);
        const int left = CAMELS - size;
        int place = 0;
        while (place < left && (traps[landed] < 0 ? square[place] < goal : square[place] <= goal)) place++;
        std::copy_backward(camel.begin() + place, camel.begin() + left, camel.end());
        std::copy_backward(square.begin() + place, square.begin() + left, square.end());
        std::copy(unit.begin(), unit.begin() + size, camel.begin() + place);
        std::fill(square.begin() + place, square.begin() + place + size, goal);
        return landed;
    }
    bool over() const { return square[CAMELS - 1] >= FINISH; }
};

struct Bet {
    int camel, player; // camel -1: hidden
};

struct Table {
    int me = 0;
    Race race;
    std::array<int, 32> traps{}, owners{};
    unsigned waiting = 0;
    std::vector<Bet> round_bets, winner_bets, loser_bets;
    std::array<bool, CAMELS> taken{}; // my game bets
};

// What the rest of the round brings on average.
struct Outlook {
    std::array<double, CAMELS> first{}, second{};
    double caught = 0, over = 0; // coins from my trap; the chance that the game ends in this round
};

void look(const Table &table, const Race &race, unsigned waiting, double weight, Outlook &outlook) {
    if (!waiting || race.over()) {
        outlook.first[race.camel[CAMELS - 1]] += weight;
        outlook.second[race.camel[CAMELS - 2]] += weight;
        if (race.over()) outlook.over += weight;
        return;
    }
    const double share = weight / __builtin_popcount(waiting) / 3;
    for (int who = 0; who < CAMELS; who++) {
        if (!(waiting >> who & 1)) continue;
        for (int die = 1; die <= 3; die++) {
            Race next = race;
            const int landed = next.move(who, die, table.traps);
            if (table.traps[landed] && table.owners[landed] == table.me) outlook.caught += share;
            look(table, next, waiting & ~(1u << who), share, outlook);
        }
    }
}

Outlook look(const Table &table) {
    Outlook outlook;
    look(table, table.race, table.waiting, 1, outlook);
    return outlook;
}

double round_bet_worth(const Outlook &outlook, int camel, int earlier) {
    static const double FIRST[] = {5, 3, 2, 1, 0}, SECOND[] = {1, 1, 1, 0, 0};
    const int step = std::min(earlier, 4);
    const double first = outlook.first[camel], second = outlook.second[camel];
    return first * FIRST[step] + second * SECOND[step] - (1 - first - second);
}

// What the round's bets are worth to me: mine, less a share of the others'.
double bets_worth(const Table &table, const Outlook &outlook) {
    std::array<int, CAMELS> count{};
    double worth = 0;
    for (const Bet &bet : table.round_bets)
        worth += round_bet_worth(outlook, bet.camel, count[bet.camel]++) * (bet.player == table.me ? 1 : -0.3);
    return worth;
}

struct Odds {
    std::array<double, CAMELS> wins{}, loses{};
};

// The rest of the game by dice alone; traps go with the round.
Odds play_out(const Table &table, Luck &luck) {
    static const std::array<int, 32> no_traps{};
    Odds odds;
    for (int game = 0; game < GAMES; game++) {
        Race race = table.race;
        const std::array<int, 32> *traps = &table.traps;
        unsigned waiting = table.waiting;
        while (!race.over()) {
            int who = luck.below(CAMELS);
            while (!(waiting >> who & 1)) who = (who + 1) % CAMELS;
            race.move(who, 1 + luck.below(3), *traps);
            waiting &= ~(1u << who);
            if (!waiting) waiting = 31, traps = &no_traps;
        }
        odds.wins[race.camel[CAMELS - 1]] += 1.0 / GAMES;
        odds.loses[race.camel[0]] += 1.0 / GAMES;
    }
    return odds;
}

// A bet on the winner (or loser), when it is right with this chance and so many hidden bets lie before it.
double game_bet_worth(const std::array<double, CAMELS> &odds, int camel, const std::vector<Bet> &earlier) {
    static const double LADDER[] = {8, 5, 3, 1};
    double sum = 0;
    for (double chance : odds) sum += chance * chance;
    std::vector<double> right{1}; // how likely so many of them are on this camel, if it is the right one
    for (const Bet &bet : earlier) {
        const double on_it = bet.camel >= 0 ? 0 : 0.15 * 0.2 + 0.85 * odds[camel] * odds[camel] / sum;
        right.push_back(0);
        for (size_t i = right.size() - 1; i > 0; i--) right[i] = right[i] * (1 - on_it) + right[i - 1] * on_it;
        right[0] *= 1 - on_it;
    }
    double pays = 0;
    for (size_t i = 0; i < right.size(); i++) pays += right[i] * LADDER[std::min<size_t>(i, 3)];
    return odds[camel] * pays - (1 - odds[camel]);
}

bool may_lie(const Table &table, int square) {
    for (int near = square - 1; near <= square + 1; near++)
        if (table.traps[near] && table.owners[near] != table.me) return false;
    return true;
}

struct Choice {
    double worth;
    std::string action;
};

void consider(Choice &best, double worth, const std::string &action) {
    if (worth > best.worth) best = {worth, action};
}

void consider_traps(const Table &table, const Outlook &now, Choice &best) {
    Table with = table;
    for (int square = 1; square < 28; square++)
        if (with.owners[square] == table.me) with.traps[square] = 0, with.owners[square] = -1;
    const int back = table.race.square[0], front = table.race.square[CAMELS - 1];
    const double before = bets_worth(table, now) + now.caught;
    for (int square = std::max(1, back + 1); square <= std::min(27, front + 4); square++) {
        if (!may_lie(table, square)) continue;
        for (int kind : {1, -1}) {
            with.traps[square] = kind, with.owners[square] = table.me;
            const Outlook then = look(with);
            const double worth = bets_worth(with, then) + then.caught - before;
            consider(best, worth, "[1," + std::to_string(kind) + "," + std::to_string(square) + "]");
        }
        with.traps[square] = 0, with.owners[square] = -1;
    }
}

std::string choose(const Table &table, Luck &luck) {
    const Outlook now = look(table);
    Choice best{1, "[0]"};
    std::array<int, CAMELS> count{};
    for (const Bet &bet : table.round_bets) count[bet.camel]++;
    for (int camel = 0; camel < CAMELS; camel++)
        consider(best, round_bet_worth(now, camel, count[camel]), "[2," + std::to_string(camel) + "]");
    if (__builtin_popcount(table.waiting) > 1) consider_traps(table, now, best);
    const Odds odds = play_out(table, luck);
    const double wait = PATIENCE * (1 - now.over);
    for (int camel = 0; camel < CAMELS; camel++) {
        if (table.taken[camel]) continue;
        const std::string name = std::to_string(camel);
        consider(best, game_bet_worth(odds.wins, camel, table.winner_bets) - wait, "[3," + name + "]");
        consider(best, game_bet_worth(odds.loses, camel, table.loser_bets) - wait, "[4," + name + "]");
    }
    return best.action;
}

std::vector<Bet> bets_of(const Value &list) {
    std::vector<Bet> bets;
    for (const Value &bet : list.items)
        bets.push_back({bet.items[0].null ? -1 : bet.items[0].whole(), bet.items[1].whole()});
    return bets;
}

Table table_of(const Value &state) {
    Table table;
    table.me = state["player"].whole();
    table.owners.fill(-1);
    int place = 0, square = 0;
    for (const Value &stack : state["camel_track"].items) {
        for (const Value &camel : stack.items) {
            table.race.camel[place] = camel.whole();
            table.race.square[place++] = square;
        }
        square++;
    }
    square = 0;
    for (const Value &trap : state["trap_track"].items) {
        if (trap.items.size() == 2) {
            table.traps[square] = trap.items[0].whole();
            table.owners[square] = trap.items[1].whole();
        }
        square++;
    }
    for (int camel = 0; camel < CAMELS; camel++)
        if (state["camel_yet_to_move"].items[camel].whole()) table.waiting |= 1u << camel;
    table.round_bets = bets_of(state["round_bets"]);
    table.winner_bets = bets_of(state["game_winner_bets"]);
    table.loser_bets = bets_of(state["game_loser_bets"]);
    for (const auto *bets : {&table.winner_bets, &table.loser_bets})
        for (const Bet &bet : *bets)
            if (bet.camel >= 0) table.taken[bet.camel] = true;
    return table;
}

} // namespace

int main() {
    std::cout << "READY" << std::endl;
    Luck luck;
    std::string line;
    while (std::getline(std::cin, line)) {
        const char *at = line.c_str();
        std::cout << choose(table_of(read_value(at)), luck) << std::endl;
    }
}
