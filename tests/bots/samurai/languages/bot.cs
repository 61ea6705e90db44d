// Samurai in C#: the starter's picks.
using System;
using System.Linq;

class Bot {
    static int[] ReadNumbers() {
        return Console.ReadLine().Split(' ').Select(int.Parse).ToArray();
    }

    static int[] Choose(int[] strength, int[] mine, int picks) {
        var chosen = new int[picks];
        for (int pick = 0; pick < picks; pick++) {
            int best = 0;
            for (int lord = 1; lord < strength.Length; lord++)
                if (strength[lord] - mine[lord] > strength[best] - mine[best]) best = lord;
            mine[best]++;
            chosen[pick] = best;
        }
        return chosen;
    }

    static void Main() {
        Console.WriteLine("READY");
        int[] settings = ReadNumbers();
        int[] strength = ReadNumbers();
        for (int turn = 0; turn < settings[0]; turn++) {
            bool day = Console.ReadLine().EndsWith("D");
            for (int lord = 0; lord < settings[2]; lord++) ReadNumbers(); // what everybody sees
            int[] mine = ReadNumbers();
            if (day) ReadNumbers(); // the night before
            Console.WriteLine(string.Join(" ", Choose(strength, mine, day ? 5 : 2)));
        }
    }
}
