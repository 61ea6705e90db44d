/* Goes round the lords one after another; never faults. */
#include <stdio.h>

int main(void) {
    int turns, daimyo, lords, ignored, following = 0;
    puts("READY");
    fflush(stdout);
    if (scanf("%d %d %d", &turns, &daimyo, &lords) != 3) return 2;
    for (int i = 0; i < lords; i++) if (scanf("%d", &ignored) != 1) return 2;
    for (int turn = 1; turn <= turns; turn++) {
        char time;
        if (scanf("%d %c", &ignored, &time) != 2) return 2;
        int numbers = lords * daimyo + lords + (time == 'D' ? lords : 0);
        for (int i = 0; i < numbers; i++) if (scanf("%d", &ignored) != 1) return 2;
        for (int pick = 0; pick < (time == 'D' ? 5 : 2); pick++)
            printf("%s%d", pick ? " " : "", following++ % lords);
        puts("");
        fflush(stdout);
    }
    return 0;
}
