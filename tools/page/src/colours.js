// Makes a style sheet with the colours of every picture and page, light and dark. build.mjs puts it
// before the style sheets of the pages, file.tsx into each file of SVG, and report/page.tsx into
// the report.

/** Each colour has a name, a value for the light theme, and one for the dark theme. */
const colours = {
  page: ["#f3f5f9", "#0d1117"],
  card: ["#ffffff", "#151b24"],
  ink: ["#18212f", "#e7ecf3"],
  soft: ["#566375", "#9dabbd"],
  line: ["#dde3ec", "#26303d"],
  cell: ["#f3f5f9", "#10161e"],
  lines: ["#dbe1ea", "#232d3a"],
  edge: ["#7f8c9e", "#66758a"],
  others: ["#cbd5e2", "#36445a"],
  accent: ["#3b5bdb", "#8ea6ff"],
  "accent-soft": ["#e4e9fd", "#232e52"],
  bad: ["#c62f2f", "#ff8078"],
  "bad-soft": ["#fdeaea", "#3a1f22"],
  on: ["#ffffff", "#0d1117"],
  shadow: ["0 1px 2px rgb(20 30 50 / 0.06), 0 4px 16px rgb(20 30 50 / 0.05)", "0 1px 2px rgb(0 0 0 / 0.4)"],
  // The colours of threads are also those of the first four of eight partitions.
  t0: ["#2563eb", "#6ea8fe"],
  t1: ["#c2410c", "#ff9d5c"],
  t2: ["#0b7f57", "#4fd1a1"],
  t3: ["#8b35c9", "#c79bff"],
  p4: ["#a16207", "#e3b341"],
  p5: ["#be185d", "#ff7eb6"],
  p6: ["#0e7490", "#56d4dd"],
  p7: ["#4d7c0f", "#a3d45c"],
  // The lines of charts have the hues of Okabe and Ito, which readers can distinguish even if they
  // see red and green alike. They are darker on white, and lighter on black, because the lines are
  // thin. The yellow is left out, because it would hardly be visible on paper.
  c0: ["#0072b2", "#4ea3e0"],
  c1: ["#d55e00", "#ff9350"],
  c2: ["#008562", "#2fc99b"],
  c3: ["#b04f8a", "#e59ac6"],
  c4: ["#a87000", "#f0bd4a"],
  c5: ["#2e8bc0", "#8fd3ff"],
  c6: ["#18212f", "#e7ecf3"],
};

/** @param {0 | 1} theme */
function declarations(theme) {
  return Object.keys(colours)
    .map((name) => `--${name}:${colours[name][theme]};`)
    .join("");
}

/** Returns the style sheet of a page whose reader can choose the theme: its root has data-theme. */
export function chosenThemes() {
  const [light, dark] = [declarations(0), declarations(1)];
  return (
    `:root{color-scheme:light;${light}}` +
    `@media screen and (prefers-color-scheme:dark){:root:not([data-theme="light"]){color-scheme:dark;${dark}}}` +
    `:root[data-theme="dark"]{color-scheme:dark;${dark}}`
  );
}

/** Returns the style sheet of a page or picture that follows the system. Paper is always light. */
export function themes() {
  return (
    `:root{color-scheme:light dark;${declarations(0)}}` +
    `@media screen and (prefers-color-scheme:dark){:root{${declarations(1)}}}`
  );
}
