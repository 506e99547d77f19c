// The common parts of pages to hand in: each is one HTML file that needs no other files and runs no script, for the
// screen and for A4.

import type { ComponentChildren } from "preact";
import { render } from "preact-render-to-string";
import { themes } from "./colours.js";
import { language, tr } from "./language.ts";

function Blank({ id, name }: { id: string; name: string }) {
  return (
    <div class="blank">
      <span id={id}>{name}</span>
      <div contentEditable role="textbox" aria-labelledby={id} />
    </div>
  );
}

/** Blanks for the person who hands the page in. */
export const Blanks = () => (
  <div class="blanks">
    <Blank id="name" name={tr("Name")} />
    <Blank id="group" name={tr("Group")} />
    <Blank id="date" name={tr("Date")} />
  </div>
);

export const Paper = ({ title, styles, children }: { title: string; styles: string; children: ComponentChildren }) => (
  <html lang={language()}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light dark" />
      <meta
        http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
      />
      {/* Without an icon of its own a browser would ask a server for one. */}
      <link rel="icon" href="data:," />
      <title>{title}</title>
      <style dangerouslySetInnerHTML={{ __html: `${themes()}${styles}@page{@bottom-left{content:${JSON.stringify(title)}}}` }} />
    </head>
    <body>
      <main>{children}</main>
    </body>
  </html>
);

/** Ends of blocks. A line feed follows each, for those who read the source. */
const blockEnds =
  /<\/(?:caption|div|dl|figure|g|h[123]|head|header|li|nav|p|section|style|svg|table|tbody|thead|tr|ul)>/g;

export const textOf = (page: ComponentChildren & object) =>
  `<!DOCTYPE html>\n${render(page as any).replace(blockEnds, "$&\n")}\n`;
