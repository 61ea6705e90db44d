// Coup in TypeScript: the starter's moves.
import { appendFileSync } from "fs";

function choose(cards: string, moves: string[]): string {
  if (moves.includes("C")) return "C";
  if (moves.includes("A") && cards.includes("^")) return "A";
  if (moves.includes("T") && cards.includes("$")) return "T";
  if (moves.includes("I\n")) return "I\n";
  if (moves.includes("s") && cards.includes("!")) return "s";
  if (moves.includes("p")) return "p";
  if (moves.includes("\n")) return "\n";
  return moves[moves.length - 1];
}

function keep(cards: string): string {
  const value = (card: string): number => "$^*!~".indexOf(card);
  return [...cards].sort((a, b) => value(a) - value(b)).slice(0, -2).join("");
}

const [file, , , cards, ...moves]: string[] = process.argv.slice(2);
appendFileSync(file, choose(cards, moves));
if (cards.length > 2) console.log(keep(cards)); // an exchange: keep the best
