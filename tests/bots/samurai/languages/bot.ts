// Samurai in TypeScript: the starter's picks.
import * as readline from "readline";

const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function readLine(): Promise<string> {
  return (await lines.next()).value;
}

async function readNumbers(): Promise<number[]> {
  return (await readLine()).split(" ").map(Number);
}

function choose(strength: number[], mine: number[], picks: number): number[] {
  const chosen: number[] = [];
  while (chosen.length < picks) {
    const wanted = strength.map((strong, lord) => strong - mine[lord]);
    const best = wanted.indexOf(Math.max(...wanted));
    mine[best] += 1;
    chosen.push(best);
  }
  return chosen;
}

async function main(): Promise<void> {
  console.log("READY");
  const [turns, , lords] = await readNumbers();
  const strength = await readNumbers();
  for (let turn = 0; turn < turns; turn++) {
    const day = (await readLine()).endsWith("D");
    for (let lord = 0; lord < lords; lord++) await readLine(); // what everybody sees
    const mine = await readNumbers();
    if (day) await readLine(); // the night before
    console.log(choose(strength, mine, day ? 5 : 2).join(" "));
  }
  process.exit();
}

main();
