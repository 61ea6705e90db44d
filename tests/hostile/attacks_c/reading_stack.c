/* Looks on its fresh stack, among its arguments and auxiliary values, for what is not its own. Expect: held */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

int main(int argc, char **argv) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        const char *found = "held";
        if (argc != 1 || strcmp(argv[0], "./bot")) found = "arguments";
        for (char **each = environ; *each; each++)
            if (strncmp(*each, "PATH=", 5) && strncmp(*each, "HOME=", 5) && strncmp(*each, "LANG=", 5)) found = *each;
        if (getauxval(AT_SECURE)) found = "privileges";
        puts(found);
        fflush(stdout);
    }
}
