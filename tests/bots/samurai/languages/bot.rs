// Samurai in Rust: the starter's picks.
use std::io::stdin;

fn read_line() -> String {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    line
}

fn read_numbers() -> Vec<i32> {
    read_line().split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn choose(strength: &[i32], mine: &mut [i32], picks: usize) -> Vec<String> {
    let mut chosen = Vec::new();
    for _ in 0..picks {
        let mut best = 0;
        for lord in 1..strength.len() {
            if strength[lord] - mine[lord] > strength[best] - mine[best] {
                best = lord;
            }
        }
        mine[best] += 1;
        chosen.push(best.to_string());
    }
    chosen
}

fn main() {
    println!("READY");
    let settings = read_numbers();
    let strength = read_numbers();
    for _ in 0..settings[0] {
        let day = read_line().trim().ends_with('D');
        for _ in 0..settings[2] {
            read_line(); // what everybody sees
        }
        let mut mine = read_numbers();
        if day {
            read_line(); // the night before
        }
        println!("{}", choose(&strength, &mut mine, if day { 5 } else { 2 }).join(" "));
    }
}
