/* Fills its box to the last page and keeps it so, so that the agent finds no memory for its answers. Expect: held, memory, timeout, crash */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char line[100];
    static char page[4096];
    int adj = open("/proc/self/oom_score_adj", O_WRONLY), fds[200], files = 0;
    if (!fgets(line, sizeof line, stdin)) return 1;
    if (adj >= 0 && write(adj, "0", 1) == 1) close(adj);
    memset(page, 'x', sizeof page);
    /* Children end by lack of memory in place of the parent, which keeps all files open. */
    for (; files < 20; files++) fds[files] = memfd_create("full", 0);
    if (fds[0] < 0) return 2;
    for (int time = 0; time < 100; time++) {
        if (fork() == 0) {
            for (int i = 0; i < 200000; i++)
                if (write(fds[i % 20], page, sizeof page) < 0) _exit(1);
            _exit(0);
        }
        usleep(20000);
    }
    puts("held");
    fflush(stdout);
    pause();
}
