// Coup starter bot: legal, short, and yours to change.
//
// Agon compiles this file once and runs the program afresh for every move:
//
//	./bot HISTORY_FILE THEIR_COINS MY_COINS MY_CARDS MOVE [MOVE...]
//
// Append exactly one of the MOVEs to the history file and end normally.
// Files written beside the program stay there until the match is over.
// Print to os.Stderr to debug: only you can read it.
//
// Cards:  ~ Ambassador   ^ Assassin   * Captain   ! Contessa   $ Duke
package main

import (
	"fmt"
	"os"
	"strings"
)

// One of `moves`. This is the part to make clever.
func choose(cards string, moves []string) string {
	legal := func(wanted string) bool {
		for _, move := range moves {
			if move == wanted {
				return true
			}
		}
		return false
	}
	switch {
	case legal("C"): // a coup cannot be stopped
		return "C"
	case legal("A") && strings.Contains(cards, "^"): // three coins, and we do have an Assassin
		return "A"
	case legal("T") && strings.Contains(cards, "$"): // tax, and we do have a Duke
		return "T"
	case legal("I\n"): // income is always safe
		return "I\n"
	case legal("s") && strings.Contains(cards, "!"): // stop an assassin, and we do have a Contessa
		return "s"
	case legal("p"): // let it pass
		return "p"
	case legal("\n"): // end the turn
		return "\n"
	}
	return moves[len(moves)-1] // give up or show a card
}

// After an exchange: the cards to keep, the best first, out of two new ones and our own.
func keep(cards string) string {
	kept := ""
	for _, card := range strings.Split("$^*!~", "") {
		kept += strings.Repeat(card, strings.Count(cards, card))
	}
	return kept[:len(cards)-2]
}

func main() {
	path, cards, moves := os.Args[1], os.Args[4], os.Args[5:]
	history, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	history.WriteString(choose(cards, moves))
	history.Close()
	if len(cards) > 2 { // three or four cards: our exchange has succeeded
		fmt.Println(keep(cards))
	}
}
