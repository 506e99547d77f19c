// Lists the texts that pages show only in English: text between tags, and in attributes that people
// read or hear, that does not come from tr() or told().

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const folder = "src";
const heard = new Set(["aria-label", "aria-valuetext", "title", "label", "caption", "alt"]);
/** Tells whether a text has words. Units, formulas and names are the same in all languages. */
const isWord = (text) => /[a-z]{3}/.test(text.replace(/\b(CPU|put20\d\d)\b/g, ""));

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".tsx"));
const found = files.sort().flatMap((name) => {
  const source = ts.createSourceFile(name, readFileSync(join(folder, name), "utf8"), ts.ScriptTarget.Latest, true);
  const here = [];
  const tell = (node, text) => {
    if (!isWord(text)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    here.push(`${join(folder, name)}:${line + 1}: shown in English alone: ${text.trim()}`);
  };
  /** Tells which literals an attribute or an expression shows; arguments of calls are left out. */
  const literalsIn = (node) => {
    if (ts.isCallExpression(node) || ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node)) return;
    if (ts.isFunctionLike(node) || ts.isElementAccessExpression(node)) return;
    if (ts.isBinaryExpression(node) && node.operatorToken.kind !== ts.SyntaxKind.AmpersandAmpersandToken) return;
    if (ts.isStringLiteralLike(node)) tell(node, node.text);
    if (ts.isTemplateExpression(node)) {
      tell(node, [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(" "));
    }
    ts.forEachChild(node, literalsIn);
  };
  const visit = (node) => {
    if (ts.isJsxText(node)) tell(node, node.text);
    if (ts.isJsxAttribute(node) && heard.has(node.name.getText()) && node.initializer) literalsIn(node.initializer);
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression) literalsIn(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return here;
});
if (found.length > 0) {
  console.error(found.join("\n"));
  console.error('Write tr("..."), and run python3 po/update.py.');
  process.exit(1);
}
