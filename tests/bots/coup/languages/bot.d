// Coup in D: the starter's moves.
import std.algorithm : canFind, map, sort;
import std.file : append;
import std.stdio : writeln;
import std.string : indexOf;

string choose(string cards, string[] moves) {
    if (moves.canFind("C")) return "C";
    if (moves.canFind("A") && cards.canFind("^")) return "A";
    if (moves.canFind("T") && cards.canFind("$")) return "T";
    if (moves.canFind("I\n")) return "I\n";
    if (moves.canFind("s") && cards.canFind("!")) return "s";
    if (moves.canFind("p")) return "p";
    if (moves.canFind("\n")) return "\n";
    return moves[$ - 1];
}

void main(string[] args) {
    string cards = args[4];
    append(args[1], choose(cards, args[5 .. $]));
    if (cards.length > 2) { // an exchange: keep the best
        auto kept = cards.dup;
        (cast(ubyte[]) kept).sort!((a, b) => "$^*!~".indexOf(a) < "$^*!~".indexOf(b));
        writeln(kept[0 .. $ - 2]);
    }
}
