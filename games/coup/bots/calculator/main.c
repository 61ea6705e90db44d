/* Calculator: plays every legal move out in its head, thousands of times, and takes the best.
 *
 * 1. A model (model.c). `action_odds`, `reply_odds` and `doubt_odds` say how a sensible player
 *    with a given hand would choose: true claims often, lies now and then, challenges when the
 *    claim is unlikely. Two numbers bend the model towards this opponent: how freely it lies,
 *    how readily it challenges.
 * 2. A belief (belief.c). The history is read twice: first to learn those two numbers, then to
 *    weigh each possible hand of the other side by how well it explains what was done (Bayes).
 *    A card that is shown and swapped, lost, or exchanged changes the belief.
 * 3. A search (this file, and play.c). Hands and decks are drawn from the belief, a move is made,
 *    both sides go on by the model until somebody has no card. Which move gets the next try is a
 *    matter of its results so far (upper confidence bounds): hopeless moves cost little time.
 *
 * Chance comes from a generator seeded with what the bot sees: equal situations, equal moves.
 */
#include "calculator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYOUTS = 6000 };

/* Make `move` in the turn that stands at `line`, play on, and say who wins. */
static double play_out(State s, const char *line, const char *move) {
    int length = (int)strlen(line), them = 1 - me, owner = length % 2 ? them : me;
    char action = length ? line[0] : move[0];
    int lost = index_of(GIVEN_UP, move[0]);
    imagine(&s);
    if (length == 0) {
        after_action(&s, me, action);
    } else if (lost < 0 && length == 1) {
        after_reply(&s, them, action, index_of(REPLIES, move[0]));
    } else if (lost < 0) {
        after_block(&s, me, action, claimed(line[1]), move[0] == 'q');
    } else if (owner == me) { /* I lied, or I was wrong about a block */
        give_up(&s, me, lost);
        if (line[0] == 'A' && line[1] == 's') s.coins[me] -= 3;
    } else { /* a coup, a knife, a wrong challenge, or my block was a lie */
        give_up(&s, me, lost);
        if (action == 'A' && length > 1) lose_all(&s, me);
        else if (action == 'A' || action == 'C') s.coins[them] -= action == 'A' ? 3 : 7;
        else effect(&s, them, action);
    }
    return play_on(&s, 1 - owner);
}

/* The best of n choices: whoever looks best, allowing for luck, is tried next. */
static int best(int n, double (*try_one)(int)) {
    double sum[64] = {0};
    int tried[64] = {0}, found = 0;
    for (int i = 0; i < PLAYOUTS; i++) {
        int next = 0;
        double highest = -1;
        for (int k = 0; k < n; k++) {
            double bound = tried[k] < 50 ? 1e9 - tried[k] : sum[k] / tried[k] + 0.7 * sqrt(log(i) / tried[k]);
            if (bound > highest) highest = bound, next = k;
        }
        sum[next] += try_one(next);
        tried[next]++;
    }
    for (int k = 0; k < n; k++) if (tried[k] > tried[found]) found = k;
    return found;
}

static State table; /* what I know now */
static const char *line_now;
static char **moves;
static char keeps[64][3];

static double try_move(int i) { return play_out(table, line_now, moves[i]); }

static double try_keep(int i) {
    State s = table;
    memset(s.hand[me], 0, sizeof s.hand[me]);
    for (const char *c = keeps[i]; *c; c++) s.hand[me][index_of(SHOWN, *c)]++;
    imagine(&s);
    return play_on(&s, 1 - me);
}

/* All the hands that can be kept out of the cards on offer. */
static int hands_to_keep(const char *cards) {
    int offered = (int)strlen(cards), n = 0;
    for (int i = 0; i < offered; i++)
        for (int j = i + 1; j < (offered == 4 ? offered : i + 2); j++) {
            keeps[n][0] = cards[i], keeps[n][1] = offered == 4 ? cards[j] : '\0', keeps[n][2] = '\0';
            n++;
        }
    return n;
}

int main(int argc, char **argv) {
    static char history[8192];
    if (argc < 6) return 2;
    FILE *file = fopen(argv[1], "r");
    if (!file) return 2;
    history[fread(history, 1, sizeof history - 1, file)] = '\0';
    fclose(file);
    stir(history);
    for (int i = 2; i < argc; i++) stir(argv[i]);

    const char *cards = argv[4];
    int count = argc - 5, turns = 0, exchanging = strlen(cards) > 2;
    moves = argv + 5;
    line_now = history;
    for (char *c = history; *c; c++) if (*c == '\n') turns++, line_now = c + 1;
    me = (turns + (int)strlen(line_now)) % 2;
    table.cards[me] = (int)strlen(cards) - 2 * exchanging;
    for (const char *c = cards + 2 * exchanging; *c; c++) table.hand[me][index_of(SHOWN, *c)]++;
    read_history(history, &table); /* to learn how they lie and dare */
    read_history(history, &table); /* to weigh their hands by it */
    table.coins[me] = atoi(argv[3]);
    table.coins[1 - me] = atoi(argv[2]);

    const char *move = count == 1 ? moves[0] : moves[best(count, try_move)];
    file = fopen(argv[1], "a");
    if (!file) return 2;
    fputs(move, file);
    fclose(file);
    if (exchanging) puts(keeps[best(hands_to_keep(cards), try_keep)]);
    return 0;
}
