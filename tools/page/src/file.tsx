// Makes files with one picture each.

import { render } from "preact-render-to-string";
import { themes } from "./colours.js";
import styles from "./drawing.css";
import { At, type Drawn } from "./drawing.tsx";

/** The text of an SVG file. The picture lies on a card, so that it can be read on a page of any colour. */
export function fileOf(of: Drawn, title: string): string {
  const margin = 20;
  const [width, height] = [Math.ceil(of.width + 2 * margin), Math.ceil(of.height + 2 * margin)];
  const text = render(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      class="drawing"
      role="img"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <title>{title}</title>
      <style dangerouslySetInnerHTML={{ __html: themes() + styles }} />
      <rect class="paper" x="0.5" y="0.5" width={width - 1} height={height - 1} rx="10" />
      <At x={margin} y={margin}>
        {of.content}
      </At>
    </svg>,
  );
  // The text is split into lines, so that a diff of the file can be read.
  return `${text.split("><").join(">\n<")}\n`;
}
