import { render } from "preact";
import { App } from "./app.tsx";
import { traceOf } from "../parts/data.ts";

const root = document.getElementById("app")!;
try {
  const trace = traceOf(JSON.parse(document.getElementById("trace")!.textContent!));
  document.title = `${trace.call} - Tilewise trace`;
  render(<App trace={trace} />, root);
} catch (error) {
  root.textContent = `This page cannot be shown: ${(error as Error).message}`;
}
