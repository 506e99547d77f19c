// The common parts of pictures. A picture is some SVG and the room that it takes; it stands in a page, or in a file
// of its own.

import type { ComponentChildren } from "preact";

/** A part of an SVG, with its upper left corner at (0, 0). */
export interface Drawn {
  width: number;
  height: number;
  content: ComponentChildren;
}

/** Thrown if a picture cannot be drawn; the message tells the user why. */
export class Refusal extends Error {
  readonly refused = true;
}

/** Rounds coordinates to a tenth of a pixel, so that the same picture is the same text. */
export const px = (value: number) => Math.round(value * 10) / 10;

/** Cuts a text after `most` characters. */
export const shortened = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most)}...` : text;

/** A picture within another. */
export const At = ({ x, y, children }: { x: number; y: number; children: ComponentChildren }) => (
  <g transform={`translate(${px(x)} ${px(y)})`}>{children}</g>
);

/** A picture in a page, as wide as there is room. */
export const Picture = ({ of, name, label }: { of: Drawn; name: string; label: string }) => (
  <svg
    class={`drawing ${name}`}
    role="img"
    aria-label={label}
    viewBox={`0 0 ${px(of.width)} ${px(of.height)}`}
  >
    {of.content}
  </svg>
);
