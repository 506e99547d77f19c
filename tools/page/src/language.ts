// The messages of pages and pictures, in the user's language. C++ passes the catalogue (grading/page/render.hpp),
// tools/page/es.po, which po/update.py maintains.

import type { ComponentChildren } from "preact";

export interface Spoken {
  /** "es" */
  language: string;
  /** Translations by their English text. */
  messages: { [english: string]: string };
}

let spoken: Spoken = { language: "en", messages: {} };

/**
 * Sets the language. To be called before anything is drawn, because pictures that are drawn do not change with it.
 */
export const speak = (next: Spoken) => {
  spoken = next;
};

export const language = () => spoken.language;

/** A message as parts of a page, with `parts` in its placeholders: {} in turn or {0} by number. */
export function told(english: string, ...parts: ComponentChildren[]): ComponentChildren[] {
  let next = 0;
  return (spoken.messages[english] || english)
    .split(/\{(\d*)\}/)
    .map((text, i) => (i % 2 === 0 ? text : parts[text === "" ? next++ : Number(text)]));
}

/**
 * A message as text. It must be one literal, and a whole sentence if possible: po/update.py finds it by the name
 * tr.
 */
export const tr = (english: string, ...values: (string | number)[]): string => told(english, ...values).join("");

/** Marks a text in a table of constants, which inLanguage() translates later. */
export const marked = (english: string): string => english;

export const inLanguage = (english: string): string => spoken.messages[english] || english;
