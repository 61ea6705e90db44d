// Language Survival starter bot: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over standard input and
// output. Say READY, read the settings, then for each of the nine turns read its block and print your
// picks in one line: five languages on a weekday, two on a holiday.
// Print to os.Stderr to debug: only you can read it.
package main

import (
	"bufio"
	"fmt"
	"os"
)

var in = bufio.NewReader(os.Stdin)

func readNumbers(count int) []int {
	numbers := make([]int, count)
	for i := range numbers {
		fmt.Fscan(in, &numbers[i])
	}
	return numbers
}

// The languages to pick, each 0 to 5; one may be there more than once. Make this part clever.
//
// shown[language][player] are believers as everybody sees them, you being player 0; mine[language] are
// your real believers, holidays included; holiday[language] is how often each was picked on the holiday
// before, by all four of you (nil on a holiday turn).
func choose(attention []int, shown [][]int, mine []int, holiday []int, picks int) []int {
	chosen := make([]int, picks)
	for pick := range chosen {
		// Go where attention is high and we have few believers so far.
		best := 0
		for language := range attention {
			if attention[language]-mine[language] > attention[best]-mine[best] {
				best = language
			}
		}
		mine[best]++
		chosen[pick] = best
	}
	return chosen
}

func main() {
	fmt.Println("READY")
	readNumbers(3) // turns, players, languages: 9 4 6
	attention := readNumbers(6)
	for {
		var turn int
		var day string
		if _, err := fmt.Fscan(in, &turn, &day); err != nil {
			return
		}
		shown := make([][]int, 6)
		for language := range shown {
			shown[language] = readNumbers(4)
		}
		mine, picks := readNumbers(6), 2
		var holiday []int
		if day == "W" {
			holiday, picks = readNumbers(6), 5
		}
		line := fmt.Sprint(choose(attention, shown, mine, holiday, picks)) // [0 4 3 2 5]
		fmt.Println(line[1 : len(line)-1])
	}
}
