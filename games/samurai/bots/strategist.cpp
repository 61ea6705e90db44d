// Strategist: plays the rest of the war out in its head, thousands of times a turn.
//
// 1. The others. Each of them is taken to be one of four kinds: aimless, drawn to strength, a creature
//    of habit (it does what it did), or a calculating one (it goes where a few picks change most in
//    the next battle). Each day's picks are public; how well each kind would have explained them
//    decides how likely that kind is (Bayes).
// 2. The hidden nights. Who went where at night is drawn at random, by those same kinds, so that it
//    agrees with what is known: two picks each, and how often each lord was picked in all.
// 3. The search. A candidate is a set of picks for this turn. For each scenario (hidden nights, kinds,
//    future picks) the war is played to the next battle or to the end, and the candidate earns the
//    chance to win there. All candidates get a few scenarios, the better ones more (successive
//    halving), always the same scenarios for all, so that luck hits them alike.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

namespace {

constexpr int LORDS = 6, PLAYERS = 4, KINDS = 4, LAST = 9, REVEAL = 5;
enum Kind { AIMLESS, STRENGTH, HABIT, CALCULATING };
using Row = std::array<double, LORDS>;
using Table = std::array<std::array<int, PLAYERS>, LORDS>; // intimacy, [lord][player]; player 0 is me

struct Chance {
    uint64_t state;
    double next() {
        state += 0x9e3779b97f4a7c15u;
        uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
    }
    template <class Weights> int pick(const Weights &weights) {
        double sum = 0;
        for (double w : weights) sum += w;
        double left = next() * sum;
        int last = 0;
        for (int i = 0; i < static_cast<int>(weights.size()); i++)
            if (weights[i] > 0) {
                last = i;
                if ((left -= weights[i]) < 0) break;
            }
        return last;
    }
};

bool is_day(int turn) { return turn % 2 == 1; }
int picks_of(int turn) { return is_day(turn) ? 5 : 2; }
int step_of(int turn) { return is_day(turn) ? 1 : 2; }

struct War {
    std::array<int, LORDS> strength{};
    Table table{};                             // real intimacy as far as it is known
    std::array<Row, PLAYERS> habit{};          // picks by day so far
    std::array<std::array<double, KINDS>, PLAYERS> kind{}; // how likely each player is of each kind
};

// What a lord brings player p when p has `mine` there and the others have `row`.
double share(int strength, const std::array<int, PLAYERS> &row, int p, int mine) {
    int highest = mine, lowest = mine;
    for (int q = 0; q < PLAYERS; q++)
        if (q != p) highest = std::max(highest, row[q]), lowest = std::min(lowest, row[q]);
    int tops = mine == highest, bottoms = mine == lowest;
    for (int q = 0; q < PLAYERS; q++)
        if (q != p) tops += row[q] == highest, bottoms += row[q] == lowest;
    double points = 0;
    if (mine == highest) points += static_cast<double>(strength) / tops;
    if (mine == lowest) points -= static_cast<double>(strength) / bottoms;
    return points;
}

// Where a calculating player goes: the most points for the least effort, softened.
Row calculated(const War &war, const Table &table, int p, int turn) {
    Row odds;
    for (int lord = 0; lord < LORDS; lord++) {
        const int now = table[lord][p];
        const double have = share(war.strength[lord], table[lord], p, now);
        double best = 0;
        for (int picks = 1; picks <= picks_of(turn); picks++)
            best = std::max(best, (share(war.strength[lord], table[lord], p, now + picks * step_of(turn)) - have) / picks);
        odds[lord] = std::exp(0.8 * best) * war.strength[lord];
    }
    return odds;
}

Row odds_of(const War &war, const Table &table, int p, int kind, int turn) {
    Row odds;
    if (kind == CALCULATING) return calculated(war, table, p, turn);
    for (int lord = 0; lord < LORDS; lord++) {
        if (kind == AIMLESS) odds[lord] = 1;
        if (kind == STRENGTH) odds[lord] = war.strength[lord] * war.strength[lord];
        if (kind == HABIT) odds[lord] = war.habit[p][lord] + 0.2;
    }
    return odds;
}

// Bayes: what player p did by day, against what each kind would have done.
void learn(War &war, const Table &before, const Row &picks, int p, int turn) {
    double most = -1e9;
    std::array<double, KINDS> logs;
    for (int k = 0; k < KINDS; k++) {
        const Row odds = odds_of(war, before, p, k, turn);
        double sum = 0;
        for (double o : odds) sum += o;
        logs[k] = std::log(war.kind[p][k]);
        for (int lord = 0; lord < LORDS; lord++) logs[k] += picks[lord] * std::log(odds[lord] / sum);
        most = std::max(most, logs[k]);
    }
    for (int k = 0; k < KINDS; k++) war.kind[p][k] = std::exp(logs[k] - most) + 0.03;
    for (int lord = 0; lord < LORDS; lord++) war.habit[p][lord] += picks[lord];
}

// One night that happened unseen: `night` picks a lord in all, mine taken out. Fills `table`.
void imagine_night(const War &war, Table &table, std::array<int, LORDS> night, int turn, Chance &chance) {
    std::array<std::array<double, LORDS>, PLAYERS> taste;
    for (int p = 1; p < PLAYERS; p++) taste[p] = odds_of(war, table, p, chance.pick(war.kind[p]), turn);
    std::array<int, PLAYERS> left{0, 2, 2, 2};
    for (int lord = 0; lord < LORDS; lord++)
        for (; night[lord] > 0; night[lord]--) {
            std::array<double, PLAYERS> who{};
            for (int p = 1; p < PLAYERS; p++) who[p] = left[p] ? left[p] * (taste[p][lord] + 1e-6) : 0;
            const int p = chance.pick(who);
            left[p]--;
            table[lord][p] += step_of(turn);
        }
}

void battle(const War &war, const Table &table, std::array<double, PLAYERS> &points) {
    for (int lord = 0; lord < LORDS; lord++)
        for (int p = 0; p < PLAYERS; p++) points[p] += share(war.strength[lord], table[lord], p, table[lord][p]);
}

// What is known and not changed while thinking about one turn.
struct Situation {
    War war;
    int turn = 1;
    std::array<double, PLAYERS> points{};              // of the first battle
    std::vector<std::array<int, LORDS>> hidden_nights; // picks of the others, nights not yet shown
    std::vector<int> hidden_turns;
};

// The worth, 0 to 1, of making `mine` now, in the scenario of this seed.
double play_out(const Situation &s, const std::vector<int> &mine, uint64_t seed) {
    Chance chance{seed};
    Table table = s.war.table;
    for (size_t i = 0; i < s.hidden_nights.size(); i++)
        imagine_night(s.war, table, s.hidden_nights[i], s.hidden_turns[i], chance);
    std::array<int, PLAYERS> kinds;
    for (int p = 1; p < PLAYERS; p++) kinds[p] = chance.pick(s.war.kind[p]);
    kinds[0] = CALCULATING;
    std::array<double, PLAYERS> points = s.points;
    for (int turn = s.turn; turn <= LAST; turn++) {
        const Table before = table;
        for (int p = PLAYERS - 1; p >= 0; p--) {
            if (p == 0 && turn == s.turn) {
                for (int lord : mine) table[lord][0] += step_of(turn);
                continue;
            }
            const Row odds = odds_of(s.war, before, p, kinds[p], turn);
            for (int i = 0; i < picks_of(turn); i++) table[chance.pick(odds)][p] += step_of(turn);
        }
        if (turn == REVEAL || turn == LAST) battle(s.war, table, points);
    }
    double best = points[1];
    for (int p = 2; p < PLAYERS; p++) best = std::max(best, points[p]);
    // A win, softened: a narrow loss is better than a heavy one.
    return 1 / (1 + std::exp(-(points[0] - best) / 2.0));
}

// All multisets of `count` lords.
void candidates(std::vector<std::vector<int>> &all, std::vector<int> &picks, int from, int count) {
    if (count == 0) {
        all.push_back(picks);
        return;
    }
    for (int lord = from; lord < LORDS; lord++) {
        picks.push_back(lord);
        candidates(all, picks, lord, count - 1);
        picks.pop_back();
    }
}

std::vector<int> choose(const Situation &s) {
    std::vector<std::vector<int>> all;
    std::vector<int> none;
    candidates(all, none, 0, picks_of(s.turn));
    std::vector<std::pair<double, int>> standing;
    for (size_t i = 0; i < all.size(); i++) standing.push_back({0, static_cast<int>(i)});
    uint64_t scenario = 1;
    for (int scenarios = 12;; scenarios *= 2) {
        for (int k = 0; k < scenarios; k++, scenario++)
            for (auto &[worth, i] : standing) worth += play_out(s, all[i], (scenario * 64 + s.turn) * 0x2545f4914f6cdd1du);
        std::sort(standing.rbegin(), standing.rend());
        if (standing.size() <= 4) return all[standing[0].second];
        standing.resize((standing.size() + 2) / 3);
    }
}

} // namespace

int main() {
    std::cout << "READY" << std::endl;
    Situation s;
    int turns, players, lords;
    std::cin >> turns >> players >> lords;
    for (int &strength : s.war.strength) std::cin >> strength;
    for (auto &kinds : s.war.kind) kinds = {0.15, 0.2, 0.15, 0.5};
    Table shown_before{};
    std::vector<int> mine;
    char time;
    while (std::cin >> s.turn >> time) {
        Table shown;
        for (auto &row : shown)
            for (int &intimacy : row) std::cin >> intimacy;
        Table real = shown;
        for (int lord = 0; lord < LORDS; lord++) std::cin >> real[lord][0];
        std::array<int, LORDS> night{};
        if (is_day(s.turn)) {
            for (int &picks : night) std::cin >> picks;
            for (int lord : mine) night[lord]--;
            if (s.turn > 1) s.hidden_nights.push_back(night), s.hidden_turns.push_back(s.turn - 1);
        } else {
            // The day before is public, and tells what kind of players they are. Turn 6 shows nights too.
            for (int p = 1; p < PLAYERS; p++) {
                Row picks{};
                for (int lord = 0; lord < LORDS; lord++) picks[lord] = shown[lord][p] - shown_before[lord][p];
                if (s.turn != REVEAL + 1) learn(s.war, shown_before, picks, p, s.turn - 1);
            }
            if (s.turn == REVEAL + 1) {
                s.hidden_nights.clear(), s.hidden_turns.clear();
                battle(s.war, real, s.points);
            }
        }
        s.war.table = real;
        mine = choose(s);
        for (size_t i = 0; i < mine.size(); i++) std::cout << (i ? " " : "") << mine[i];
        std::cout << std::endl;
        shown_before = shown;
    }
}
