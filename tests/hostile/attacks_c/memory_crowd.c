/* Spreads memory over many processes, each smaller than the agent, none preferred to be killed. Expect: memory, crash, held */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void protect(void) {
    int adj = open("/proc/self/oom_score_adj", O_WRONLY);
    if (adj >= 0) {
        if (write(adj, "-1000", 5) < 0 && write(adj, "0", 1) < 0) close(adj);
        close(adj);
    }
}

int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        protect();
        for (int child = 0; child < 30; child++)
            if (fork() == 0) {
                char *kept = malloc(6 << 20);
                if (kept) memset(kept, 'x', 6 << 20);
                pause();
            }
        sleep(2);
        puts("held");
        fflush(stdout);
    }
}
