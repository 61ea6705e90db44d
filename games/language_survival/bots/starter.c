/* Language Survival starter bot: legal, short, and yours to change.
 *
 * Agon compiles this file, starts the program once a match and talks to it over standard input and
 * output. Say READY, read the settings, then for each of the nine turns read its block and print your
 * picks in one line: five languages on a weekday, two on a holiday.
 * Print to stderr to debug: only you can read it.
 */
#include <stdio.h>

enum { LANGUAGES = 6, PLAYERS = 4 };

static int attention[LANGUAGES];
static int shown[LANGUAGES][PLAYERS]; /* believers as everybody sees them; you are player 0 */
static int mine[LANGUAGES];           /* your real believers, holidays included */
static int holiday[LANGUAGES];        /* how often each was picked on the holiday before, by all four */

static void read_numbers(int *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (scanf("%d", &numbers[i]) != 1) numbers[i] = 0;
}

/* One language, 0 to 5: where attention is high and we have few believers. Make this part clever. */
static int choose(void) {
    int best = 0;
    for (int language = 1; language < LANGUAGES; language++)
        if (attention[language] - mine[language] > attention[best] - mine[best]) best = language;
    return best;
}

int main(void) {
    int settings[3], turn;
    char day;
    puts("READY");
    fflush(stdout);
    read_numbers(settings, 3); /* turns, players, languages: 9 4 6 */
    read_numbers(attention, LANGUAGES);
    while (scanf("%d %c", &turn, &day) == 2) {
        read_numbers(shown[0], LANGUAGES * PLAYERS);
        read_numbers(mine, LANGUAGES);
        if (day == 'W') read_numbers(holiday, LANGUAGES);
        for (int pick = 0; pick < (day == 'W' ? 5 : 2); pick++) {
            int language = choose();
            mine[language]++;
            printf(pick ? " %d" : "%d", language);
        }
        putchar('\n');
        fflush(stdout); /* without this the answer may never leave */
    }
    return 0;
}
