/* Raider: takes what others have. It steals whether or not it holds a Captain, sends the knife
 * as soon as three coins are there, and when its theft is blocked it believes no word of it.
 *
 * It is careful in two cases only: with one card left it claims just what it holds, and a claim
 * that was caught once is not made again. From those who have never asked it steals to the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count;
static char **moves;
static char history[4096];
static const char *cards;

static int legal(const char *move) {
    for (int i = 0; i < count; i++)
        if (strcmp(moves[i], move) == 0) return 1;
    return 0;
}

static int have(char card) { return strchr(cards, card) != NULL; }

/* True if a claim of this letter was followed by a challenge and then by a lost card. */
static int caught(char claim) {
    for (const char *c = history; *c; c++)
        if (c[0] == claim && c[1] == 'q' && c[2] && strchr("_'<=0", c[2])) return 1;
    return 0;
}

/* True if the other side has ever challenged us. Number of the line and place in it, added up, are even for
 * what one side wrote and odd for the other; the next to write is us. */
static int doubted(void) {
    int line = 0, place = 0, challenges[2] = {0, 0};
    for (const char *c = history; *c; c++) {
        if (*c == 'q') challenges[(line + place) % 2]++;
        if (*c == '\n') line++, place = 0;
        else place++;
    }
    return challenges[(line + place + 1) % 2] > 0;
}

/* A claim we are ready to make: a true one always, a lie while there is a card to spare. */
static int claim(const char *move, char card) {
    if (!legal(move)) return 0;
    if (move[0] == 'S' && !doubted()) return 1;
    return have(card) || (strlen(cards) == 2 && !caught(move[0]));
}

/* The card that is missed least. */
static const char *give_up(void) {
    for (const char *given = "_0=<'"; *given; given++)
        for (int i = 0; i < count; i++)
            if (moves[i][0] == *given) return moves[i];
    return moves[0];
}

static const char *choose(int their_coins) {
    if (legal("C")) return "C";
    if (legal("I\n")) { /* our turn */
        if (claim("A", '^')) return "A";
        if (their_coins >= 2 && claim("S", '*')) return "S";
        if (legal("T") && have('$')) return "T";
        return strstr(history, "Fd") ? "I\n" : "F";
    }
    if (legal("\n")) { /* blocked: whoever stops a theft or a knife must prove it */
        char action = 0, last = 0;
        for (const char *c = history; *c; c++) {
            if (!last || last == '\n') action = *c;
            last = *c;
        }
        return legal("q") && (action == 'S' || action == 'A') ? "q" : "\n";
    }
    if (claim("s", '!')) return "s";
    if (claim("c", '*')) return "c";
    if (legal("a") && have('~')) return "a";
    if (legal("d") && have('$')) return "d";
    if (legal("p")) return "p";
    if (legal("s") && strlen(cards) == 1) return "q"; /* no Contessa: doubt is all that is left */
    return give_up();
}

static void keep(void) {
    size_t wanted = strlen(cards) - 2;
    for (const char *card = "^*!$~"; *card; card++)
        for (const char *c = cards; *c && wanted; c++)
            if (*c == *card) putchar(*c), wanted--;
    putchar('\n');
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const char *path = argv[1];
    cards = argv[4];
    count = argc - 5;
    moves = argv + 5;
    FILE *file = fopen(path, "r");
    if (!file) return 2;
    history[fread(history, 1, sizeof history - 1, file)] = '\0';
    fclose(file);
    const char *move = choose(atoi(argv[2]));
    file = fopen(path, "a");
    if (!file) return 2;
    fputs(move, file);
    fclose(file);
    if (strlen(cards) > 2) keep();
    return 0;
}
