/* Honest Rock-Paper-Scissors starter bot for those who do not write Python: legal, short, and yours to change.
 *
 * Agon starts the program once a match and talks to it over standard input and output. Say READY, then
 * answer each line with a move, R, P or S, in a line of its own:
 *     C      claim a move (the first round)
 *     C x    claim a move; x is what the opponent threw in the round before
 *     T x    throw a move; x is what the opponent has claimed
 * Print to stderr to debug: only you can read it.
 */
#include <stdio.h>

static char beaten_by(char move) { return move == 'R' ? 'P' : move == 'P' ? 'S' : 'R'; }

int main(void) {
    char line[16], their_claim = 0, my_claim = 0;
    int they_lied = 0;
    puts("READY");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        int first = line[1] != ' ';
        if (line[0] == 'T') {
            their_claim = line[2];
            printf("%c\n", they_lied ? beaten_by(their_claim) : my_claim); /* honest to the honest */
        } else {
            they_lied = !first && line[2] != their_claim;
            my_claim = first ? 'R' : beaten_by(line[2]); /* claim what would have won the last round */
            printf("%c\n", my_claim);
        }
        fflush(stdout); /* without this the answer may never leave */
    }
    return 0;
}
