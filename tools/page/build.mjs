// Makes trace.html, the page without its trace: scripts and styles in one file that needs nothing
// beside it. What it writes follows from the sources and package-lock.json alone.

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

async function bundled(file) {
  const result = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none", // licenses.txt has them
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

const parts = {
  licenses: readFileSync("licenses.txt", "utf8").trim(),
  styles: await bundled("src/style.css"),
  // Nothing in a script may look like its end.
  script: (await bundled("src/main.tsx")).replaceAll("</script", "<\\/script"),
};
const page = readFileSync("template.html", "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(process.argv[2] ?? "trace.html", page);
