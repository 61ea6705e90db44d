/* Keeper: sees to it that no lord likes it least.
 *
 * Being last with a lord of strength 6 costs as much as being first with one brings, and it takes far
 * less to stay out of the last place. So every pick goes where its lead over the last one is smallest,
 * strength weighing in. Only when it is safe everywhere does it go for a first place within reach.
 * The nights of the others are not known; it allows for them with a margin that grows each night.
 */
#include <stdio.h>

enum { LORDS = 6, DAIMYO = 4 };

static int strength[LORDS], shown[LORDS][DAIMYO], mine[LORDS], ignored[LORDS];

static void read_numbers(int *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (scanf("%d", &numbers[i]) != 1) numbers[i] = 0;
}

static int lowest(int lord) {
    int low = shown[lord][1];
    for (int d = 2; d < DAIMYO; d++) if (shown[lord][d] < low) low = shown[lord][d];
    return low;
}

static int highest(int lord) {
    int high = shown[lord][1];
    for (int d = 2; d < DAIMYO; d++) if (shown[lord][d] > high) high = shown[lord][d];
    return high;
}

/* What one more pick is worth. */
static double worth(int lord, double margin) {
    double lead = mine[lord] - lowest(lord) - margin;
    double gap = highest(lord) - mine[lord] + margin;
    if (lead <= 1) return strength[lord] * (2 - lead * 0.5);
    return gap >= -0.5 && gap <= 4 ? strength[lord] / (gap + 2) : 0;
}

int main(void) {
    int settings[3], turn;
    char time;
    puts("READY");
    fflush(stdout);
    read_numbers(settings, 3);
    read_numbers(strength, LORDS);
    while (scanf("%d %c", &turn, &time) == 2) {
        int day = time == 'D', hidden_nights = turn < 6 ? turn / 2 : (turn - 5) / 2;
        read_numbers(shown[0], LORDS * DAIMYO);
        read_numbers(mine, LORDS);
        if (day) read_numbers(ignored, LORDS);
        for (int pick = 0; pick < (day ? 5 : 2); pick++) {
            int best = 0;
            for (int lord = 1; lord < LORDS; lord++)
                if (worth(lord, 0.6 * hidden_nights) > worth(best, 0.6 * hidden_nights)) best = lord;
            mine[best] += day ? 1 : 2;
            printf(pick ? " %d" : "%d", best);
        }
        putchar('\n');
        fflush(stdout);
    }
    return 0;
}
