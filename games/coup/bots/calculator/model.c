/* The model: how a sensible player with a given hand chooses. And the chance that it chooses by. */
#include "calculator.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int me;
double lying[2] = {1, 1};
double daring[2] = {0, 0};

static uint64_t chance_state = 1469598103934665603u;

void stir(const char *text) {
    for (; *text; text++) chance_state = (chance_state ^ (unsigned char)*text) * 1099511628211u;
}

double chance(void) {
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (double)(chance_state >> 11) / 9007199254740992.0;
}

int pick(const double *weights, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += weights[i];
    double left = chance() * sum;
    int last = 0;
    for (int i = 0; i < n; i++) {
        if (weights[i] <= 0) continue;
        last = i;
        if ((left -= weights[i]) < 0) break;
    }
    return last;
}

int index_of(const char *letters, char c) {
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? (int)(found - letters) : -1;
}

/* The card that a letter claims, or -1. */
int claimed(char letter) {
    static const int cards[] = {AMBASSADOR, DUKE, ASSASSIN, CAPTAIN, AMBASSADOR, CAPTAIN, CONTESSA, DUKE};
    int i = index_of("ETASacsd", letter);
    return i < 0 ? -1 : cards[i];
}

/* What player p, who sees its own hand and the table, makes of a claim of `card` by the other side. */
static double believes(const State *s, int p, int card) {
    int unseen = 15 - s->cards[p], copies = 3 - s->face_up[card] - s->hand[p][card];
    for (int k = 0; k < KINDS; k++) unseen -= s->face_up[k];
    if (copies <= 0) return 0;
    double none = (double)(unseen - copies) / unseen;
    if (s->cards[1 - p] == 2) none *= (double)(unseen - 1 - copies) / (unseen - 1);
    double odds = (1 - none) / (none + 1e-9) * 3.0 / lying[1 - p];
    return odds / (1 + odds);
}

/* The chance that p challenges a claim of `card`; gain and cost are in cards. */
static double doubt_odds(const State *s, int p, int card, double gain, double cost) {
    double held = believes(s, p, card);
    if (held == 0) return 0.97;
    return 1 / (1 + exp(-(3.5 * ((1 - held) * gain - held * cost) - 0.6 + daring[p])));
}

static double at_stake(const State *s, int p) { return s->cards[p] == 1 ? 1.8 : 1.0; }

void action_odds(const State *s, int p, double odds[N_ACTIONS]) {
    static const double honest[] = {0.8, 1.2, 1.5, 6, 9, 4, 0}, lie[] = {0, 0, 0.25, 1.4, 1.0, 0.8, 0};
    memset(odds, 0, N_ACTIONS * sizeof *odds);
    if (s->coins[p] >= 7) odds[6] = s->coins[p] >= 10 ? 1 : 40;
    if (s->coins[p] >= 10) return;
    double freely = lying[p] * (s->cards[p] == 1 ? 0.6 : 1);
    for (int a = 0; a < 6; a++) {
        int card = claimed(ACTIONS[a]);
        odds[a] = card < 0 || s->hand[p][card] ? honest[a] : s->face_up[card] == 3 ? 0 : lie[a] * freely;
    }
    if (s->coins[p] < 3) odds[4] = 0;
    int loot = s->coins[1 - p];
    odds[5] *= loot >= 2 ? 1 : loot == 1 ? 0.2 : 0;
}

/* How p answers action a of the other side. For a knife PASS means to give up a card. */
void reply_odds(const State *s, int p, int a, double odds[N_REPLIES]) {
    memset(odds, 0, N_REPLIES * sizeof *odds);
    int card = claimed(ACTIONS[a]);
    double gain = at_stake(s, 1 - p), cost = at_stake(s, p), freely = lying[p] * (s->cards[p] == 1 ? 0.6 : 1);
    odds[PASS] = 1;
    if (ACTIONS[a] == 'A') {
        double doubt = doubt_odds(s, p, card, gain, s->cards[p] == 2 ? 2.2 : 0.8);
        odds[CHALLENGE] = doubt;
        odds[BLOCK_KNIFE] = s->hand[p][CONTESSA] ? 20 : s->face_up[CONTESSA] == 3 ? 0 : 0.25 * lying[p];
        if (s->cards[p] == 1) { /* giving in is the end */
            odds[PASS] = 0;
            if (!s->hand[p][CONTESSA] && odds[BLOCK_KNIFE] > 0) odds[BLOCK_KNIFE] = 0.6;
            odds[CHALLENGE] += 0.01;
        }
        return;
    }
    if (ACTIONS[a] == 'F') {
        odds[BLOCK_AID] = s->hand[p][DUKE] ? 15 : s->face_up[DUKE] == 3 ? 0 : 0.2 * freely;
        return;
    }
    double doubt = doubt_odds(s, p, card, gain, cost);
    odds[PASS] = 1 - doubt;
    odds[CHALLENGE] = doubt;
    if (ACTIONS[a] != 'S') return;
    odds[BLOCK_CAPTAIN] = s->hand[p][CAPTAIN] ? 6 : s->face_up[CAPTAIN] == 3 ? 0 : 0.12 * freely;
    odds[BLOCK_AMBASSADOR] = s->hand[p][AMBASSADOR] ? 6 : s->face_up[AMBASSADOR] == 3 ? 0 : 0.08 * freely;
}

/* The chance that p challenges a block of its action. A false Contessa loses both cards. */
double block_doubt(const State *s, int p, int card) {
    double gain = card == CONTESSA ? 2.2 : at_stake(s, 1 - p);
    return doubt_odds(s, p, card, gain, at_stake(s, p));
}
