// Bundles codemirror.js into static/editor/: one module, and a chunk for each mode, which browsers load when needed.
// Beside them is a file with the licenses of every package that is in the bundle.

import { readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = fileURLToPath(new URL("../static/editor/", import.meta.url));

await rm(target, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["codemirror.js"],
  outdir: target,
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  target: "es2022",
  chunkNames: "[name]-[hash]",
  metafile: true,
  logLevel: "warning",
});

const packages = new Set();
for (const path of Object.keys(metafile.inputs)) {
  const found = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) packages.add(found[1]);
}
const notices = [];
for (const name of [...packages].sort()) {
  const { version } = JSON.parse(await readFile(`${here}node_modules/${name}/package.json`, "utf8"));
  const license = await readFile(`${here}node_modules/${name}/LICENSE`, "utf8");
  notices.push(`${name} ${version}\n\n${license.trim()}\n`);
}
await writeFile(`${target}LICENSES.txt`, notices.join(`\n${"-".repeat(80)}\n\n`));
for (const [path, { bytes }] of Object.entries(metafile.outputs)) console.log(`${bytes} ${path.split("/").pop()}`);
