// Coup starter bot: legal, short, and yours to change.
//
// Agon compiles this file once and runs the program afresh for every move:
//
//     java Starter HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
//
// Append exactly one of the MOVEs to the history file and end normally.
// Files written beside the program stay there until the match is over.
// Print to System.err to debug: only you can read it.
//
// Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

public class Starter {
    /** One of `moves`. This is the part to make clever. */
    private static String choose(String history, int theirCoins, int myCoins, String cards, List<String> moves) {
        if (moves.contains("C")) return "C"; // a coup cannot be stopped
        if (moves.contains("A") && cards.contains("^")) return "A"; // three coins, and we do have an Assassin
        if (moves.contains("T") && cards.contains("$")) return "T"; // tax, and we do have a Duke
        if (moves.contains("I\n")) return "I\n"; // income is always safe
        if (moves.contains("s") && cards.contains("!")) return "s"; // stop an assassin, and we do have a Contessa
        if (moves.contains("p")) return "p"; // let it pass
        if (moves.contains("\n")) return "\n"; // end the turn
        return moves.get(moves.size() - 1); // give up or show a card
    }

    /** After an exchange: the cards to keep, the best first, out of two new ones and our own. */
    private static String keep(String cards) {
        StringBuilder kept = new StringBuilder();
        for (char card : "$^*!~".toCharArray())
            for (char each : cards.toCharArray())
                if (each == card) kept.append(card);
        return kept.substring(0, cards.length() - 2);
    }

    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[0]);
        int theirCoins = Integer.parseInt(args[1]), myCoins = Integer.parseInt(args[2]);
        String cards = args[3];
        List<String> moves = Arrays.asList(args).subList(4, args.length);
        String move = choose(Files.readString(file), theirCoins, myCoins, cards, moves);
        Files.writeString(file, move, StandardOpenOption.APPEND);
        if (cards.length() > 2) System.out.println(keep(cards)); // three or four cards: our exchange has succeeded
    }
}
