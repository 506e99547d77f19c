// What pages and pictures say to people, in the language of whoever asks for them. C++ hands over the catalogue
// (grading/page/render.hpp), which po/update.py keeps: tools/page/es.po.

import type { ComponentChildren } from "preact";

export interface Spoken {
  /** "es" */
  language: string;
  /** Translations by English. */
  messages: { [english: string]: string };
}

let spoken: Spoken = { language: "en", messages: {} };

/** To be called before anything is drawn: what is drawn does not change with it. */
export const speak = (next: Spoken) => {
  spoken = next;
};

export const language = () => spoken.language;

/** A message with what stands at its places, {} in turn or {0} by number, as parts of a page. */
export function told(english: string, ...parts: ComponentChildren[]): ComponentChildren[] {
  let next = 0;
  return (spoken.messages[english] || english)
    .split(/\{(\d*)\}/)
    .map((text, i) => (i % 2 === 0 ? text : parts[text === "" ? next++ : Number(text)]));
}

/** A message as text. It is one literal, and a whole sentence where it can be: po/update.py finds it by this name. */
export const tr = (english: string, ...values: (string | number)[]): string => told(english, ...values).join("");

/** A text that stands in a table of constants, and that in_language() is asked for. */
export const marked = (english: string): string => english;

export const inLanguage = (english: string): string => spoken.messages[english] || english;
