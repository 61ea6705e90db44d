/* Fills files in memory that it does not map, as a process so small that the agent is larger. Expect: memory, held */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char block[1 << 20];

int main(void) {
    char line[100];
    fgets(line, sizeof line, stdin);
    int adj = open("/proc/self/oom_score_adj", O_WRONLY);
    if (adj >= 0) {
        if (write(adj, "-1000", 5) < 0 && write(adj, "0", 1) < 0) strcpy(line, "?");
        close(adj);
    }
    memset(block, 'x', sizeof block);
    for (int file = 0; file < 200; file++) {
        int fd = memfd_create("unmapped", 0);
        if (fd < 0) { puts("held"); fflush(stdout); pause(); } /* where the kernel does not count them */
        for (int i = 0; i < 8; i++)
            if (write(fd, block, sizeof block) < 0) break;
    }
    printf("all written\n");
    fflush(stdout);
    pause();
}
