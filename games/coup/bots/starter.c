/* Coup starter bot: legal, short, and yours to change.
 *
 * Agon compiles this file once and runs the program afresh for every move:
 *
 *     ./bot HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
 *
 * Append exactly one of the MOVEs to the history file and return 0 from main.
 * Files written beside the program stay there until the match is over.
 * Print to stderr to debug: only you can read it.
 *
 * Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke
 */
#include <stdio.h>
#include <string.h>

static int count;    /* how many moves are legal now */
static char **moves; /* and which */

static int legal(const char *move) {
    for (int i = 0; i < count; i++)
        if (strcmp(moves[i], move) == 0) return 1;
    return 0;
}

/* One of the legal moves. This is the part to make clever. */
static const char *choose(const char *cards) {
    if (legal("C")) return "C";                              /* a coup cannot be stopped */
    if (legal("A") && strchr(cards, '^')) return "A";        /* three coins, and we do have an Assassin */
    if (legal("T") && strchr(cards, '$')) return "T";        /* tax, and we do have a Duke */
    if (legal("I\n")) return "I\n";                          /* income is always safe */
    if (legal("s") && strchr(cards, '!')) return "s";        /* stop an assassin, and we do have a Contessa */
    if (legal("p")) return "p";                              /* let it pass */
    if (legal("\n")) return "\n";                            /* end the turn */
    return moves[count - 1];                                 /* give up or show a card */
}

/* After an exchange: print the cards to keep, the best first, out of two new ones and our own. */
static void keep(const char *cards) {
    size_t wanted = strlen(cards) - 2;
    for (const char *card = "$^*!~"; *card; card++)
        for (const char *c = cards; *c && wanted; c++)
            if (*c == *card) putchar(*c), wanted--;
    putchar('\n');
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const char *path = argv[1], *cards = argv[4];
    count = argc - 5;
    moves = argv + 5;
    FILE *history = fopen(path, "a");
    if (!history) return 2;
    fputs(choose(cards), history);
    fclose(history);
    if (strlen(cards) > 2) keep(cards); /* three or four cards: our exchange has succeeded */
    return 0;
}
