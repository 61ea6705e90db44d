// Camel Up starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over standard input and output.
// Say READY; whenever it is your turn a line of JSON comes with all you may know, and you answer with one
// line: [0] to roll, [1,type,square] to lay your trap, [2,camel] to bet on the winner of the round, [3,camel]
// or [4,camel] on the winner or the loser of the game. Whatever is not allowed counts as a roll.
// Print to System.err to debug: only you can read it.
import java.util.Scanner;

public class Starter {
    /** The last digit of the first list after "camel_track": the camel ahead. */
    private static char leader(String state) {
        int at = state.indexOf("]]", state.indexOf("\"camel_track\":"));
        while (!Character.isDigit(state.charAt(at))) at--;
        return state.charAt(at);
    }

    /** Whether somebody has bet on this camel in this round: "round_bets":[[camel,player],...] */
    private static boolean hasBet(String state, char camel) {
        int start = state.indexOf("\"round_bets\":"), end = state.indexOf("\"game_winner_bets\":");
        return state.substring(start, end).contains("[" + camel + ",");
    }

    public static void main(String[] args) {
        System.out.println("READY");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String state = in.nextLine();
            char camel = leader(state);
            if (hasBet(state, camel)) System.out.println("[0]"); // println also flushes System.out
            else System.out.println("[2, " + camel + "]"); // five coins, if it still leads when the round ends
        }
    }
}
