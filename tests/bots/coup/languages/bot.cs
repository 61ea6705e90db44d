// Coup in C#: the starter's moves.
using System;
using System.IO;
using System.Linq;

class Bot {
    static string Choose(string cards, string[] moves) {
        if (moves.Contains("C")) return "C";
        if (moves.Contains("A") && cards.Contains("^")) return "A";
        if (moves.Contains("T") && cards.Contains("$")) return "T";
        if (moves.Contains("I\n")) return "I\n";
        if (moves.Contains("s") && cards.Contains("!")) return "s";
        if (moves.Contains("p")) return "p";
        if (moves.Contains("\n")) return "\n";
        return moves.Last();
    }

    static void Main(string[] args) {
        string cards = args[3];
        File.AppendAllText(args[0], Choose(cards, args.Skip(4).ToArray()));
        if (cards.Length > 2) // an exchange: keep the best
            Console.WriteLine(string.Concat(cards.OrderBy(card => "$^*!~".IndexOf(card)).Take(cards.Length - 2)));
    }
}
