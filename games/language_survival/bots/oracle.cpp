// Oracle: sees hundreds of endings, and looks for the end of its own that wins most of them.
//
// Points are given once, after turn 9, so what counts is how many believers everybody has then, not in
// which order they came. Each turn:
// 1. Past. Where the others went on holidays is drawn at random, two picks each, so that it agrees with
//    the published counts.
// 2. Future. The others play on, each by its character: faithful (to what it was seen to pick), worldly
//    (to attention), levelling (to where it has little) or keen (to where a few picks change most). How
//    well a character explains what was seen makes it more or less likely.
//    Keen players answer to what they see of this one, which for that follows its last plan.
// 3. Plan. Over all endings found like that, the believers that it still has to win are moved from
//    language to language as long as the chance to win grows.
// 4. Of the plan, those believers are won first whose loss would cost the most.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr int LANGUAGES = 6, PLAYERS = 4, TURNS = 9, REVEAL = 5, ENDINGS = 300;
enum Character { FAITHFUL, WORLDLY, LEVELLING, KEEN, CHARACTERS };
using Row = std::array<double, LANGUAGES>;
using Counts = std::array<int, LANGUAGES>;
using Table = std::array<Counts, PLAYERS>; // believers, [player][language]; player 0 is this program

bool weekday(int turn) { return turn % 2 == 1; }
int picks(int turn) { return weekday(turn) ? 5 : 2; }
int gain(int turn) { return weekday(turn) ? 1 : 2; }

struct World {
    Counts attention{};
    Table known{};                                          // believers, the others' unseen ones left out
    std::array<Row, PLAYERS> seen{};                        // what each has been seen to pick
    std::array<std::array<double, CHARACTERS>, PLAYERS> belief{};
    std::vector<std::pair<int, Counts>> unseen;             // holidays: the turn, the others' picks
};

struct Luck {
    std::mt19937_64 bits;
    double unit() { return static_cast<double>(bits() >> 11) / 9007199254740992.0; }
    template <class Weights> int draw(const Weights &weights) {
        double left = unit() * std::accumulate(weights.begin(), weights.end(), 0.0);
        for (size_t i = 0; i + 1 < weights.size(); i++)
            if ((left -= weights[i]) < 0) return static_cast<int>(i);
        return static_cast<int>(weights.size()) - 1;
    }
};

// What a player with `own` believers gets from one language when the others have `rivals`.
double share(int attention, int own, const std::array<int, PLAYERS - 1> &rivals) {
    int above = 0, level = 0, under = 0;
    for (int rival : rivals) above += rival > own, level += rival == own, under += rival < own;
    double points = 0;
    if (!above) points += static_cast<double>(attention) / (1 + level);
    if (!under) points -= static_cast<double>(attention) / (1 + level);
    return points;
}

std::array<int, PLAYERS - 1> rivals(const Table &table, int player, int language) {
    std::array<int, PLAYERS - 1> found{};
    for (int other = 0, i = 0; other < PLAYERS; other++)
        if (other != player) found[i++] = table[other][language];
    return found;
}

Row keen(const World &world, const Table &table, int player, int turn) {
    Row odds;
    for (int l = 0; l < LANGUAGES; l++) {
        const auto others = rivals(table, player, l);
        const int own = table[player][l];
        const double now = share(world.attention[l], own, others);
        double best = 0;
        for (int more = 1; more <= picks(turn); more++)
            best = std::max(best, (share(world.attention[l], own + more * gain(turn), others) - now) / more);
        odds[l] = world.attention[l] * std::exp(0.7 * best);
    }
    return odds;
}

Row levelling(const World &world, const Table &table, int player) {
    Row odds;
    const int least = *std::min_element(table[player].begin(), table[player].end());
    for (int l = 0; l < LANGUAGES; l++) odds[l] = world.attention[l] * std::exp(-1.0 * (table[player][l] - least));
    return odds;
}

// How likely a player of that character is to pick each language.
Row odds_of(const World &world, const Table &table, int player, int character, int turn) {
    if (character == KEEN) return keen(world, table, player, turn);
    if (character == LEVELLING) return levelling(world, table, player);
    Row odds;
    for (int l = 0; l < LANGUAGES; l++)
        odds[l] = character == WORLDLY ? std::pow(world.attention[l], 2) : world.seen[player][l] + 0.15;
    return odds;
}

// A player has been seen to pick `row` on a weekday, when the table was `before`.
void learn(World &world, const Table &before, int player, const Counts &row, int turn) {
    auto &belief = world.belief[player];
    for (int c = 0; c < CHARACTERS; c++) {
        const Row odds = odds_of(world, before, player, c, turn);
        const double sum = std::accumulate(odds.begin(), odds.end(), 0.0);
        for (int l = 0; l < LANGUAGES; l++) belief[c] *= std::pow(odds[l] / sum, row[l]);
    }
    const double sum = std::accumulate(belief.begin(), belief.end(), 0.0);
    for (double &each : belief) each = 0.95 * each / sum + 0.05 / CHARACTERS;
    for (int l = 0; l < LANGUAGES; l++) world.seen[player][l] += row[l];
}

// Share out what the others picked on an unseen holiday.
void imagine_holiday(const World &world, Table &table, Counts left, int turn, Luck &luck) {
    std::array<Row, PLAYERS> taste;
    for (int p = 1; p < PLAYERS; p++) taste[p] = odds_of(world, table, p, luck.draw(world.belief[p]), turn);
    std::array<int, PLAYERS> may{0, 2, 2, 2};
    for (int l = 0; l < LANGUAGES; l++)
        for (; left[l] > 0; left[l]--) {
            std::array<double, PLAYERS> who{};
            for (int p = 1; p < PLAYERS; p++) who[p] = may[p] * (taste[p][l] + 1e-9);
            const int p = luck.draw(who);
            may[p]--;
            table[p][l] += gain(turn);
        }
}

// The table after turn 9 as it may come. Row 0 follows `plan`, picks of this program still to come.
Table imagine_ending(const World &world, int turn, const Row &plan, Luck &luck) {
    Table table = world.known;
    for (const auto &[when, counts] : world.unseen) imagine_holiday(world, table, counts, when, luck);
    std::array<int, PLAYERS> character{};
    for (int p = 1; p < PLAYERS; p++) character[p] = luck.draw(world.belief[p]);
    for (; turn <= TURNS; turn++) {
        const Table before = table;
        for (int p = 0; p < PLAYERS; p++) {
            const Row odds = p ? odds_of(world, before, p, character[p], turn) : plan;
            for (int i = 0; i < picks(turn); i++) table[p][luck.draw(odds)] += gain(turn);
        }
    }
    return table;
}

// One ending: what everybody gets from each language for each number of believers this program has there.
struct Ending {
    std::array<std::array<std::array<float, PLAYERS>, 48>, LANGUAGES> points{};
};

Ending weigh(const World &world, Table table) {
    Ending ending;
    for (int l = 0; l < LANGUAGES; l++)
        for (int own = 0; own < 48; own++) {
            table[0][l] = own;
            for (int p = 0; p < PLAYERS; p++)
                ending.points[l][own][p] = static_cast<float>(share(world.attention[l], table[p][l], rivals(table, p, l)));
        }
    return ending;
}

// The chance to win with these believers at the end, softened so that better losses count a little.
double chance(const std::vector<Ending> &endings, const Counts &own) {
    double sum = 0;
    for (const Ending &ending : endings) {
        std::array<float, PLAYERS> total{};
        for (int l = 0; l < LANGUAGES; l++)
            for (int p = 0; p < PLAYERS; p++) total[p] += ending.points[l][own[l]][p];
        const float lead = total[0] - std::max({total[1], total[2], total[3]});
        sum += 1 / (1 + std::exp(-1.2 * lead));
    }
    return sum / static_cast<double>(endings.size());
}

// The best end of this program's own: `left` believers more than now, moved about until nothing is gained.
Counts best_end(const World &world, const std::vector<Ending> &endings, const Counts &start, double &found) {
    const Counts &now = world.known[0];
    Counts end = start;
    found = chance(endings, end);
    for (bool better = true; better;) {
        better = false;
        Counts best = end;
        for (int from = 0; from < LANGUAGES; from++)
            for (int to = 0; to < LANGUAGES; to++)
                for (int many = 1; many <= 4; many++) {
                    if (from == to || end[from] - many < now[from]) continue;
                    Counts moved = end;
                    moved[from] -= many;
                    moved[to] += many;
                    const double worth = chance(endings, moved);
                    if (worth > found + 1e-9) found = worth, best = moved, better = true;
                }
        end = best;
    }
    return end;
}

// Several starts: by attention, and all for each pair of languages left out in turn.
Counts plan_end(const World &world, const std::vector<Ending> &endings, int left) {
    Counts best{};
    double most = -1;
    for (int shunned = -1; shunned < LANGUAGES; shunned++) {
        Counts start = world.known[0];
        for (int i = 0; i < left; i++) {
            int to = shunned == 0 ? 1 : 0;
            for (int l = 0; l < LANGUAGES; l++)
                if (l != shunned && start[l] - world.attention[l] < start[to] - world.attention[to]) to = l;
            start[to]++;
        }
        double found;
        const Counts end = best_end(world, endings, start, found);
        if (found > most) most = found, best = end;
    }
    return best;
}

// Which of the plan's believers to win now: one at a time those whose loss would cost the most.
std::vector<int> choose(const World &world, const std::vector<Ending> &endings, Counts end, int turn) {
    std::vector<int> chosen;
    Counts open;
    for (int l = 0; l < LANGUAGES; l++) open[l] = end[l] - world.known[0][l];
    for (int i = 0; i < picks(turn); i++) {
        double worst = 2;
        int next = -1;
        for (int l = 0; l < LANGUAGES; l++) {
            if (open[l] <= 0) continue;
            Counts without = end;
            without[l] -= std::min(open[l], gain(turn));
            const double left = chance(endings, without);
            if (left < worst) worst = left, next = l;
        }
        if (next < 0) next = static_cast<int>(std::max_element(open.begin(), open.end()) - open.begin());
        open[next] -= gain(turn);
        chosen.push_back(next);
    }
    return chosen;
}

} // namespace

int main() {
    std::cout << "READY" << std::endl;
    World world;
    int turns, players, languages, turn;
    std::cin >> turns >> players >> languages;
    for (int &attention : world.attention) std::cin >> attention;
    for (auto &belief : world.belief) belief = {0.25, 0.2, 0.2, 0.35};
    Table shown_before{};
    std::vector<int> chosen;
    Row plan;
    for (int l = 0; l < LANGUAGES; l++) plan[l] = world.attention[l];
    char day;
    while (std::cin >> turn >> day) {
        Table shown;
        for (int l = 0; l < LANGUAGES; l++)
            for (int p = 0; p < PLAYERS; p++) std::cin >> shown[p][l];
        world.known = shown;
        for (int &believers : world.known[0]) std::cin >> believers;
        if (weekday(turn)) {
            Counts holiday;
            for (int &count : holiday) std::cin >> count;
            for (int l : chosen) holiday[l]--;
            if (turn > 1) world.unseen.push_back({turn - 1, holiday});
        } else if (turn == REVEAL + 1) {
            world.unseen.clear(); // the table shows them now, together with the day before
        } else {
            for (int p = 1; p < PLAYERS; p++) {
                Counts row;
                for (int l = 0; l < LANGUAGES; l++) row[l] = shown[p][l] - shown_before[p][l];
                learn(world, shown_before, p, row, turn - 1);
            }
        }
        Luck luck{std::mt19937_64(static_cast<uint64_t>(turn))};
        std::vector<Ending> endings;
        for (int i = 0; i < ENDINGS; i++) endings.push_back(weigh(world, imagine_ending(world, turn, plan, luck)));
        int left = 0;
        for (int later = turn; later <= TURNS; later++) left += picks(later) * gain(later);
        const Counts end = plan_end(world, endings, left);
        for (int l = 0; l < LANGUAGES; l++) plan[l] = end[l] - world.known[0][l] + 0.2;
        chosen = choose(world, endings, end, turn);
        for (size_t i = 0; i < chosen.size(); i++) std::cout << (i ? " " : "") << chosen[i];
        std::cout << std::endl;
        shown_before = shown;
    }
}
