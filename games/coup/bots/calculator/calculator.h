/* What the parts of Calculator share. main.c tells how it works. */
#ifndef CALCULATOR_H
#define CALCULATOR_H

enum { AMBASSADOR, ASSASSIN, CAPTAIN, CONTESSA, DUKE, KINDS };
enum { PASS, CHALLENGE, BLOCK_AID, BLOCK_KNIFE, BLOCK_CAPTAIN, BLOCK_AMBASSADOR, N_REPLIES };
enum { N_ACTIONS = 7, MOST_CHOICES = 7 };
#define SHOWN "~^*!$" /* letters in the order of the cards, of the actions' odds, of the replies */
#define GIVEN_UP "_'<=0"
#define ACTIONS "IFETASC"
#define REPLIES "pqdsca"

typedef struct {
    int hand[2][KINDS], cards[2], coins[2]; /* by player: 0 moves first in the match */
    int deck[KINDS], face_up[KINDS];
} State;

extern int me;
extern double lying[2];  /* 1: as the model says; 2: twice as freely */
extern double daring[2]; /* added to the log odds of a challenge */

/* model.c: chance, letters, and what a sensible player would do */
void stir(const char *text);
double chance(void);
int pick(const double *weights, int n);
int index_of(const char *letters, char c);
int claimed(char letter);
void action_odds(const State *s, int p, double odds[N_ACTIONS]);
void reply_odds(const State *s, int p, int a, double odds[N_REPLIES]);
double block_doubt(const State *s, int p, int card);

/* play.c: the rules, and playing on by the model */
void give_up(State *s, int p, int card);
void lose_all(State *s, int p);
void effect(State *s, int owner, char action);
void after_action(State *s, int owner, char action);
void after_reply(State *s, int owner, char action, int reply);
void after_block(State *s, int owner, char action, int card, int challenged);
double play_on(State *s, int owner);

/* belief.c: what the history says about the other side's hand */
void read_history(const char *history, State *s);
void imagine(State *s);

#endif
