// Samurai in D: the starter's picks.
import std.algorithm : map;
import std.array : array, split;
import std.conv : to;
import std.stdio : readln, stdout, writefln, writeln;
import std.string : strip;

int[] readNumbers() {
    return readln().split().map!(to!int).array;
}

int[] choose(int[] strength, int[] mine, int picks) {
    int[] chosen;
    foreach (pick; 0 .. picks) {
        int best = 0;
        foreach (int lord; 1 .. cast(int) strength.length)
            if (strength[lord] - mine[lord] > strength[best] - mine[best]) best = lord;
        mine[best]++;
        chosen ~= best;
    }
    return chosen;
}

void main() {
    writeln("READY");
    stdout.flush();
    auto settings = readNumbers();
    auto strength = readNumbers();
    foreach (turn; 0 .. settings[0]) {
        bool day = readln().strip()[$ - 1] == 'D';
        foreach (lord; 0 .. settings[2]) readNumbers(); // what everybody sees
        auto mine = readNumbers();
        if (day) readNumbers(); // the night before
        writefln("%(%d %)", choose(strength, mine, day ? 5 : 2));
        stdout.flush();
    }
}
