/* The belief: which hands explain what the other side did. */
#include "calculator.h"

#include <math.h>
#include <string.h>

enum { HANDS = 20 };
static double belief[HANDS]; /* of the other side's hand, see pair_of */

/* Hand number h: 0..14 are the pairs, 15..19 the single cards (b = -1). */
static void pair_of(int h, int *a, int *b) {
    int first = 0, rest = h;
    if (h >= 15) {
        *a = h - 15, *b = -1;
        return;
    }
    while (rest >= KINDS - first) rest -= KINDS - first, first++;
    *a = first, *b = first + rest;
}

static int hand_number(int a, int b) {
    if (b < 0) return 15 + a;
    if (a > b) { int t = a; a = b; b = t; }
    int h = 0;
    for (int first = 0; first < a; first++) h += KINDS - first;
    return h + b - a;
}

static void put_hand(State *s, int p, int h) {
    int a, b;
    pair_of(h, &a, &b);
    memset(s->hand[p], 0, sizeof s->hand[p]);
    s->hand[p][a]++;
    if (b >= 0) s->hand[p][b]++;
}

/* Number of ways to draw the hand from cards that I do not see. */
static double ways(const State *s, int h) {
    int a, b, left[KINDS];
    for (int k = 0; k < KINDS; k++) left[k] = 3 - s->face_up[k] - s->hand[me][k];
    pair_of(h, &a, &b);
    if (s->cards[1 - me] != (b < 0 ? 1 : 2) || left[a] <= 0) return 0;
    if (b < 0) return left[a];
    return a == b ? left[a] * (left[a] - 1) / 2.0 : left[b] > 0 ? (double)left[a] * left[b] : 0;
}

/* Multiply the belief by how likely each hand was to write `letter`; a little doubt always stays.
 * Returns how likely it was to write `tested`, given the belief before. */
static double explain(State *s, const char *line, int place, char tested) {
    int them = 1 - me;
    double likely[HANDS], most = 0, expected = 0, sum = 0;
    for (int h = 0; h < HANDS; h++) {
        likely[h] = 0;
        double weight = belief[h] * ways(s, h);
        if (weight <= 0) continue;
        put_hand(s, them, h);
        double odds[MOST_CHOICES], total = 0, test = 0;
        if (place == 2) {
            double doubt = block_doubt(s, them, claimed(line[1]));
            likely[h] = line[2] == 'q' ? doubt : 1 - doubt;
            test = doubt;
        } else {
            int n = place ? N_REPLIES : N_ACTIONS;
            if (place) reply_odds(s, them, index_of(ACTIONS, line[0]), odds);
            else action_odds(s, them, odds);
            for (int i = 0; i < n; i++) total += odds[i];
            const char *letters = place ? REPLIES : ACTIONS;
            int done = index_of(letters, line[place]), test_index = index_of(letters, tested);
            if (place && done < 0) done = PASS; /* gave up a card to the knife */
            likely[h] = odds[done] / total;
            if (test_index >= 0) test = odds[test_index] / total;
        }
        sum += weight;
        expected += weight * test;
        if (likely[h] > most) most = likely[h];
    }
    if (most > 0)
        for (int h = 0; h < HANDS; h++) belief[h] *= 0.04 + 0.96 * likely[h] / most;
    return sum > 0 ? expected / sum : 0;
}

/* They gave up (swapped = 0) or showed and swapped a card: what is known of the rest stays. */
static void card_left(int card, int swapped) {
    double before[HANDS];
    memcpy(before, belief, sizeof before);
    for (int h = 0; h < HANDS; h++) {
        int a, b;
        pair_of(h, &a, &b);
        if (b < 0) belief[h] = swapped ? 1 : before[hand_number(card, a)];
        else belief[h] = swapped ? (before[hand_number(card, a)] + before[hand_number(card, b)]) / 2 : 1;
    }
}

static void hand_exchanged(void) {
    static const double liked[] = {0.5, 1.2, 1.0, 1.1, 1.4};
    for (int h = 0; h < HANDS; h++) {
        int a, b;
        pair_of(h, &a, &b);
        belief[h] = liked[a] * (b < 0 ? 1 : liked[b]);
    }
}

/* Coins at the end of a turn whose line is complete; knives and coups are paid when the card falls. */
static void settle(State *s, int owner, const char *line, int length) {
    char last = line[length - 1], action = line[0];
    int owner_lost = index_of(GIVEN_UP, last) >= 0 && length % 2 == 1 && length > 1;
    if (action == 'I') s->coins[owner]++;
    if (action == 'C') s->coins[owner] -= 7;
    if (action == 'A' && !(owner_lost && line[1] == 'q')) s->coins[owner] -= 3;
    if (owner_lost || (last != 'p' && index_of(GIVEN_UP, last) < 0)) return;
    if (strchr("FTS", action)) effect(s, owner, action);
}

/* Read the whole history from the first turn on; `s` holds my present hand. Learns lying and daring. */
void read_history(const char *history, State *s) {
    int them = 1 - me, lies = 0, truths = 0, dared = 0;
    double expected = 0;
    for (int h = 0; h < HANDS; h++) belief[h] = 1;
    memset(s->face_up, 0, sizeof s->face_up);
    s->cards[them] = 2, s->coins[0] = s->coins[1] = 1;
    int mine_now = s->cards[me];
    s->cards[me] = 2;
    int owner = 0;
    for (const char *line = history; *line; owner = 1 - owner) {
        int length = (int)strcspn(line, "\n");
        for (int place = 0; place < length; place++) {
            int writer = place % 2 ? 1 - owner : owner;
            char letter = line[place];
            int given = index_of(GIVEN_UP, letter), shown = index_of(SHOWN, letter);
            if (writer == them && (place < 2 || (place == 2 && claimed(line[1]) >= 0 && line[1] != 'q'))) {
                if (!(place == 1 && strchr("CI", line[0]))) {
                    int could_dare = place > 0 && claimed(line[place - 1]) >= 0;
                    double odds = explain(s, line, place, could_dare ? 'q' : '\0');
                    if (could_dare) expected += odds, dared += letter == 'q';
                }
            }
            if (given >= 0) {
                s->face_up[given]++;
                s->cards[writer]--;
                if (writer == them) {
                    card_left(given, 0);
                    lies += place > 0 && line[place - 1] == 'q';
                }
            } else if (shown >= 0 && writer == them) {
                truths++;
                if (line[0] != 'E') card_left(shown, 1);
            }
            if (writer == me && (letter == 'p' || given >= 0) && line[0] == 'E' && owner == them &&
                (letter == 'p' || line[2] == '~'))
                hand_exchanged();
        }
        if (line[length] && length == 2 && owner == them && claimed(line[1]) >= 0)
            expected += explain(s, line, 2, 'q'); /* they believed my block */
        if (line[length]) settle(s, owner, line, length);
        line += length + (line[length] == '\n');
    }
    s->cards[me] = mine_now;
    lying[them] = (1 + 1.5 * lies) / (1 + 0.7 * truths);
    daring[them] = 1.5 * log((dared + 0.7) / (expected + 0.7));
}

/* Draw the other side's hand and the deck, as far as I can know them. */
void imagine(State *s) {
    double weights[HANDS];
    for (int h = 0; h < HANDS; h++) weights[h] = belief[h] * ways(s, h);
    put_hand(s, 1 - me, pick(weights, HANDS));
    for (int k = 0; k < KINDS; k++) s->deck[k] = 3 - s->face_up[k] - s->hand[0][k] - s->hand[1][k];
}
