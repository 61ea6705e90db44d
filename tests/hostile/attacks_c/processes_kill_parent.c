/* Kills and stops its parent at once, while that may still be changing its identity. Expect: held, crash */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void early(void) {
    int parent = getppid() > 0 ? getppid() : 1; /* 0: it is outside of the namespace */
    for (int i = 0; i < 1000; i++) kill(parent, SIGSTOP);
    for (int i = 0; i < 1000; i++) kill(parent, SIGKILL);
    for (int pid = 1; pid < 100; pid++)
        if (pid != getpid()) kill(pid, SIGKILL);
}

int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        puts("held");
        fflush(stdout);
    }
}
