// Language Survival starter bot: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over standard input and
// output. Say READY, read the settings, then for each of the nine turns read its block and print your
// picks in one line: five languages on a weekday, two on a holiday.
// Print to System.err to debug: only you can read it.
import java.util.Scanner;

public class Starter {
    private static final Scanner in = new Scanner(System.in);

    private static int[] readNumbers(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) numbers[i] = in.nextInt();
        return numbers;
    }

    /**
     * The languages to pick, each 0 to 5; one may be there more than once. Make this part clever.
     *
     * shown[language][player] are believers as everybody sees them, you being player 0; mine[language] are
     * your real believers, holidays included; holiday[language] is how often each was picked on the holiday
     * before, by all four of you (null on a holiday turn).
     */
    private static int[] choose(int[] attention, int[][] shown, int[] mine, int[] holiday, int picks) {
        int[] chosen = new int[picks];
        for (int pick = 0; pick < picks; pick++) {
            // Go where attention is high and we have few believers so far.
            int best = 0;
            for (int language = 1; language < 6; language++)
                if (attention[language] - mine[language] > attention[best] - mine[best]) best = language;
            mine[best]++;
            chosen[pick] = best;
        }
        return chosen;
    }

    public static void main(String[] args) {
        System.out.println("READY");
        readNumbers(3); // turns, players, languages: 9 4 6
        int[] attention = readNumbers(6);
        while (in.hasNextInt()) {
            in.nextInt(); // the turn, 1 to 9
            boolean weekday = in.next().equals("W");
            int[][] shown = new int[6][];
            for (int language = 0; language < 6; language++) shown[language] = readNumbers(4);
            int[] mine = readNumbers(6);
            int[] holiday = weekday ? readNumbers(6) : null;
            StringBuilder line = new StringBuilder();
            int[] chosen = choose(attention, shown, mine, holiday, weekday ? 5 : 2);
            for (int language : chosen) line.append(language).append(' ');
            System.out.println(line.toString().trim()); // println also flushes System.out
        }
    }
}
