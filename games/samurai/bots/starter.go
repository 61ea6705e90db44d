// Samurai starter bot: legal, short, and yours to change.
//
// Agon compiles this file, starts the program once a match and talks to it over
// standard input and output. Say READY, read the settings, then for each of the nine turns read its
// block and print your picks in one line: five lords by day, two by night.
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

// The lords to pick, each 0 to 5; a lord may be there more than once. Make this part clever.
//
// shown[lord][daimyo] is intimacy as everybody sees it, you being daimyo 0; mine[lord] is your real
// intimacy, nights included; night[lord] is how often each lord was picked in the night before, by
// all four of you (nil on a night turn).
func choose(strength []int, shown [][]int, mine []int, night []int, picks int) []int {
	chosen := make([]int, picks)
	for pick := range chosen {
		// Go where strength is high and we have done little so far.
		best := 0
		for lord := range strength {
			if strength[lord]-mine[lord] > strength[best]-mine[best] {
				best = lord
			}
		}
		mine[best]++
		chosen[pick] = best
	}
	return chosen
}

func main() {
	fmt.Println("READY")
	readNumbers(3) // turns, daimyo, lords: 9 4 6
	strength := readNumbers(6)
	for {
		var turn int
		var time string
		if _, err := fmt.Fscan(in, &turn, &time); err != nil {
			return
		}
		shown := make([][]int, 6)
		for lord := range shown {
			shown[lord] = readNumbers(4)
		}
		mine, picks := readNumbers(6), 2
		var night []int
		if time == "D" {
			night, picks = readNumbers(6), 5
		}
		line := fmt.Sprint(choose(strength, shown, mine, night, picks)) // [0 4 3 2 5]
		fmt.Println(line[1 : len(line)-1])
	}
}
