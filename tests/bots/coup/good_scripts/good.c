/* Takes a coin until it can afford a coup; never lies, never blocks, never challenges. */
#include <stdio.h>
#include <string.h>

static const char *choose(int count, char **moves) {
    static const char *wanted[] = {"C", "p", "\n", "I\n"};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < count; j++)
            if (strcmp(moves[j], wanted[i]) == 0) return moves[j];
    return moves[count - 1];
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const char *move = choose(argc - 5, argv + 5);
    FILE *history = fopen(argv[1], "a");
    if (!history) return 2;
    fputs(move, history);
    fclose(history);
    if (strlen(argv[4]) > 2 && move[0] == '\n') puts(argv[4] + 2);
    return 0;
}
