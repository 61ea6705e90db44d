/* The rules of Coup in the head, with both sides moving by the model. */
#include "calculator.h"

enum { LONGEST = 80 }; /* turns; longer games are called half a win */

static int draw(State *s) {
    double weights[KINDS];
    for (int k = 0; k < KINDS; k++) weights[k] = s->deck[k];
    int k = pick(weights, KINDS);
    s->deck[k]--;
    return k;
}

void give_up(State *s, int p, int card) {
    s->hand[p][card]--;
    s->cards[p]--;
    s->face_up[card]++;
}

/* The least missed card: a second copy first, then by this order. */
static int least(const State *s, int p) {
    static const int order[] = {AMBASSADOR, CAPTAIN, CONTESSA, ASSASSIN, DUKE};
    for (int i = 0; i < KINDS; i++) if (s->hand[p][order[i]] > 1) return order[i];
    for (int i = 0; i < KINDS; i++) if (s->hand[p][order[i]]) return order[i];
    return AMBASSADOR;
}

static void lose(State *s, int p) { if (s->cards[p]) give_up(s, p, least(s, p)); }

void lose_all(State *s, int p) { while (s->cards[p]) lose(s, p); }

static void swap(State *s, int p, int card) {
    s->hand[p][card]--;
    s->hand[p][draw(s)]++;
    s->deck[card]++;
}

static void exchange(State *s, int p) {
    int kept = s->cards[p];
    for (int i = 0; i < 2; i++) s->hand[p][draw(s)]++;
    for (int i = 0; i < 2; i++) {
        int card = least(s, p);
        s->hand[p][card]--;
        s->deck[card]++;
    }
    s->cards[p] = kept;
}

/* The action has come through. */
void effect(State *s, int owner, char action) {
    int other = 1 - owner, loot = s->coins[other] < 2 ? s->coins[other] : 2;
    switch (action) {
    case 'I': s->coins[owner] += 1; break;
    case 'F': s->coins[owner] += 2; break;
    case 'T': s->coins[owner] += 3; break;
    case 'E': exchange(s, owner); break;
    case 'S': s->coins[owner] += loot, s->coins[other] -= loot; break;
    case 'A': s->coins[owner] -= 3, lose(s, other); break;
    case 'C': s->coins[owner] -= 7, lose(s, other); break;
    }
}

void after_block(State *s, int owner, char action, int card, int challenged) {
    int blocker = 1 - owner;
    if (action == 'A' && !(challenged && !s->hand[blocker][card])) s->coins[owner] -= 3;
    if (!challenged) return;
    if (s->hand[blocker][card]) {
        swap(s, blocker, card);
        lose(s, owner);
    } else if (action == 'A') {
        lose_all(s, blocker);
    } else {
        lose(s, blocker);
        if (s->cards[blocker]) effect(s, owner, action);
    }
}

void after_reply(State *s, int owner, char action, int reply) {
    int other = 1 - owner, card = claimed(action);
    if (reply == PASS) {
        effect(s, owner, action);
    } else if (reply != CHALLENGE) {
        int blocking = claimed(REPLIES[reply]);
        after_block(s, owner, action, blocking, chance() < block_doubt(s, owner, blocking));
    } else if (!s->hand[owner][card]) {
        lose(s, owner);
    } else if (action == 'A') {
        lose_all(s, other);
    } else {
        if (action != 'E') swap(s, owner, card);
        lose(s, other);
        if (s->cards[other]) effect(s, owner, action);
    }
}

void after_action(State *s, int owner, char action) {
    int reply = PASS;
    if (action != 'I' && action != 'C') {
        double odds[N_REPLIES];
        reply_odds(s, 1 - owner, index_of(ACTIONS, action), odds);
        reply = pick(odds, N_REPLIES);
    }
    after_reply(s, owner, action, reply);
}

/* Turns until the end; 1 if I win, 1/2 if it takes too long. */
double play_on(State *s, int owner) {
    for (int turn = 0; turn < LONGEST; turn++, owner = 1 - owner) {
        if (!s->cards[me]) return 0;
        if (!s->cards[1 - me]) return 1;
        double odds[N_ACTIONS];
        action_odds(s, owner, odds);
        after_action(s, owner, ACTIONS[pick(odds, N_ACTIONS)]);
    }
    return 0.5;
}
