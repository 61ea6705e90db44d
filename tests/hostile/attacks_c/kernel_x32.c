/* Makes a system call by the numbers of the x32 interface, which a list of numbers may have forgotten. Expect: crash */
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>

int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
#if defined(__x86_64__)
        long got = syscall(0x40000000 | 39);
#else
        return 1;
#endif
        printf("call gave %ld\n", got);
        fflush(stdout);
    }
}
