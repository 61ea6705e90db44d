// Honest Rock-Paper-Scissors starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon starts the program once a match and talks to it over standard input and output. Say READY, then
// answer each line with a move, R, P or S, in a line of its own:
//
//	C      claim a move (the first round)
//	C x    claim a move; x is what the opponent threw in the round before
//	T x    throw a move; x is what the opponent has claimed
//
// Print to os.Stderr to debug: only you can read it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

var beatenBy = map[string]string{"R": "P", "P": "S", "S": "R"}

func main() {
	fmt.Println("READY")
	theirClaim, myClaim, theyLied := "", "", false
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		phase, theirs, later := strings.Cut(in.Text(), " ")
		switch {
		case phase == "T" && theyLied:
			theirClaim = theirs
			fmt.Println(beatenBy[theirs])
		case phase == "T": // honest to the honest
			theirClaim = theirs
			fmt.Println(myClaim)
		default: // claim what would have won the last round
			theyLied, myClaim = theirs != theirClaim, "R"
			if later {
				myClaim = beatenBy[theirs]
			}
			fmt.Println(myClaim)
		}
	}
}
