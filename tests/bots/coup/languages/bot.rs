// Coup in Rust: the starter's moves.
use std::env;
use std::fs::OpenOptions;
use std::io::Write;

fn choose<'a>(cards: &str, moves: &'a [String]) -> &'a str {
    let offered = |wanted: &str| moves.iter().any(|one| one == wanted);
    if offered("C") {
        "C"
    } else if offered("A") && cards.contains('^') {
        "A"
    } else if offered("T") && cards.contains('$') {
        "T"
    } else if offered("I\n") {
        "I\n"
    } else if offered("s") && cards.contains('!') {
        "s"
    } else if offered("p") {
        "p"
    } else if offered("\n") {
        "\n"
    } else {
        &moves[moves.len() - 1]
    }
}

fn keep(cards: &str) -> String {
    let mut best: Vec<char> = cards.chars().collect();
    best.sort_by_key(|&card| "$^*!~".find(card));
    best[..best.len() - 2].iter().collect()
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let cards = &words[4];
    let mut history = OpenOptions::new().append(true).open(&words[1]).unwrap();
    history.write_all(choose(cards, &words[5..]).as_bytes()).unwrap();
    if cards.len() > 2 {
        println!("{}", keep(cards)); // an exchange: keep the best
    }
}
