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
#include <stdlib.h>
#include <time.h>

static char beaten_by(char move) { return move == 'R' ? 'P' : move == 'P' ? 'S' : 'R'; }

int main(void) {
    char line[16], my_claim = 'R';
    srand((unsigned)time(NULL) ^ (unsigned)clock());
    puts("READY");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        char answer;
        if (line[0] == 'C') {
            answer = my_claim = "RPS"[rand() % 3];
        } else {
            char their_claim = line[2];
            int we_would_lose = their_claim == beaten_by(my_claim);
            answer = we_would_lose ? beaten_by(their_claim) : my_claim;
        }
        printf("%c\n", answer);
        fflush(stdout); /* without this the answer may never leave */
    }
    return 0;
}
