// Camel Up starter bot for those who do not write Python: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over standard input and output.
// Say READY; whenever it is your turn a line of JSON comes with all you may know, and you answer with one
// line: [0] to roll, [1,type,square] to lay your trap, [2,camel] to bet on the winner of the round, [3,camel]
// or [4,camel] on the winner or the loser of the game. Whatever is not allowed counts as a roll.
// Print to os.Stderr to debug: only you can read it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// What we look at of all that comes; the rules page has the rest.
type State struct {
	CamelTrack [][]int `json:"camel_track"` // the camels on each square, the bottom one first
	RoundBets  [][]int `json:"round_bets"`  // [camel, player] each
}

func move(state State) string {
	leader := 0
	for _, camels := range state.CamelTrack {
		if len(camels) > 0 {
			leader = camels[len(camels)-1]
		}
	}
	for _, bet := range state.RoundBets {
		if bet[0] == leader {
			return "[0]"
		}
	}
	return fmt.Sprintf("[2, %d]", leader) // five coins, if it still leads when the round ends
}

func main() {
	fmt.Println("READY")
	for in := json.NewDecoder(os.Stdin); ; {
		var state State
		if in.Decode(&state) != nil {
			return
		}
		fmt.Println(move(state))
	}
}
