// Runs inside the sandbox, in the folder of an uploaded TypeScript bot: turns every .ts into a .js beside it.
// Only syntax is checked: the types of Node's own modules are not there to check against.
const fs = require("fs");
const path = require("path");
const ts = require("typescript");

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(file);
    return entry.isFile() && file.endsWith(".ts") && !file.endsWith(".d.ts") ? [file] : [];
  });
}

let problems = 0;
for (const file of sources(".")) {
  const result = ts.transpileModule(fs.readFileSync(file, "utf8"), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { target: "ES2021", module: "CommonJS", esModuleInterop: true },
  });
  for (const found of result.diagnostics) {
    const line = found.file ? found.file.getLineAndCharacterOfPosition(found.start).line + 1 : 1;
    console.log([file, line, ts.flattenDiagnosticMessageText(found.messageText, " "), ""].join("\t"));
    problems += 1;
  }
  fs.writeFileSync(file.replace(/\.ts$/, ".js"), result.outputText);
}
process.exit(problems ? 1 : 0);
