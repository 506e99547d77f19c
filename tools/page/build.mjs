// Builds the two files that are committed: trace.html, the page of `lab trace` without a trace, in
// one file that needs no others; and render.js, which draws charts, figures and the lab report
// where there is no browser. The result depends only on the sources and package-lock.json.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, transform } from "esbuild";
import ts from "typescript";
import { chosenThemes } from "./src/colours.js";

const folder = process.argv[2] ?? ".";

/** Joins a file and everything that it imports into one text. */
async function bundled(file, options) {
  const result = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    minify: true,
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none", // licenses.txt has them
    logLevel: "warning",
    target: "es2022",
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

const licenses = readFileSync("licenses.txt", "utf8").trim();

async function makePage() {
  const parts = {
    licenses,
    styles: chosenThemes() + (await bundled("src/trace/style.css")),
    // A browser would take "</script" for the end of the script, even within a string.
    script: (await bundled("src/trace/main.tsx")).replaceAll("</script", "<\\/script"),
  };
  const page = readFileSync("template.html", "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
  writeFileSync(join(folder, "trace.html"), page);
}

/** Makes a text of each style sheet that a script imports. */
const styleSheets = {
  name: "style sheets",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await bundled(path), loader: "text" }));
  },
};

/** The engine knows only the JavaScript of 2009. TypeScript can translate to it, esbuild cannot. */
async function makeScript() {
  const modern = await bundled("src/render.tsx", { minify: false, format: "iife", plugins: [styleSheets] });
  const compilerOptions = { target: "es5", module: "none", downlevelIteration: true };
  const old = ts.transpileModule(modern, { compilerOptions }).outputText;
  const { code } = await transform(old, {
    minify: true,
    target: "es5",
    charset: "utf8",
    legalComments: "none",
  });
  writeFileSync(join(folder, "render.js"), `/*\n${licenses}\n*/\n${code}`);
}

await Promise.all([makePage(), makeScript()]);
