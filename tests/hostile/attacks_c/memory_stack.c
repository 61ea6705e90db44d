/* Uses up its stack. Expect: crash, memory */
#include <stdio.h>

static volatile char *deeper(volatile char *above, long depth) {
    volatile char here[4096];
    here[0] = above ? above[0] + 1 : 1;
    return depth ? deeper(here, depth - 1) : above;
}

int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        printf("%p\n", (void *)deeper(0, 1L << 30));
        fflush(stdout);
    }
}
