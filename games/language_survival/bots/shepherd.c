/* Shepherd: leaves no language to be lost.
 *
 * Only the last turn counts, so it plans for the last turn: how many believers will the third of the
 * others have in each language by then, if everybody goes on as so far? First it makes up for where it
 * would be last. What is left over goes, a whole bundle at a time, where a lead is cheapest.
 */
#include <stdio.h>

enum { LANGUAGES = 6, PLAYERS = 4, TURNS = 9, ALL = 36 };

static int attention[LANGUAGES], shown[LANGUAGES][PLAYERS], mine[LANGUAGES], ignored[LANGUAGES];
static double least[LANGUAGES], most[LANGUAGES]; /* of the others, at the end */

static void read_numbers(int *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (scanf("%d", &numbers[i]) != 1) numbers[i] = 0;
}

/* Stretch what each of the others has shown to all the believers it will have won by the end. */
static void foresee(void) {
    for (int language = 0; language < LANGUAGES; language++) {
        least[language] = ALL;
        most[language] = 0;
        for (int player = 1; player < PLAYERS; player++) {
            int sum = 0;
            for (int other = 0; other < LANGUAGES; other++) sum += shown[other][player];
            /* Six believers of pure prejudice: everybody likes attention a little. */
            double end = (shown[language][player] + attention[language] / 4.0) * ALL / (sum + 6.0);
            if (end < least[language]) least[language] = end;
            if (end > most[language]) most[language] = end;
        }
    }
}

/* Points a believer: out of the last place first, then into the first one, if `left` are enough. */
static double worth(int language, int left) {
    double to_safety = least[language] + 1 - mine[language];
    double to_lead = most[language] + 2 - mine[language]; /* the leader will not stand still */
    if (to_safety > 0) return to_safety <= left ? attention[language] * 2.0 / (to_safety + 2) : 0;
    if (to_lead > 0) return to_lead <= left ? attention[language] / (to_lead + 2) : 0;
    return 0;
}

int main(void) {
    int settings[3], turn;
    char day;
    puts("READY");
    fflush(stdout);
    read_numbers(settings, 3);
    read_numbers(attention, LANGUAGES);
    while (scanf("%d %c", &turn, &day) == 2) {
        int weekday = day == 'W', left = 0;
        for (int later = turn; later <= TURNS; later++) left += later % 2 ? 5 : 4;
        read_numbers(shown[0], LANGUAGES * PLAYERS);
        read_numbers(mine, LANGUAGES);
        if (weekday) read_numbers(ignored, LANGUAGES);
        foresee();
        for (int pick = 0; pick < (weekday ? 5 : 2); pick++) {
            int best = 0;
            for (int language = 1; language < LANGUAGES; language++)
                if (worth(language, left) > worth(best, left)) best = language;
            mine[best] += weekday ? 1 : 2;
            left -= weekday ? 1 : 2;
            printf(pick ? " %d" : "%d", best);
        }
        putchar('\n');
        fflush(stdout);
    }
    return 0;
}
