import { render } from "preact";
import { speak, language, tr } from "../language.ts";
import { App } from "./app.tsx";
import { traceOf } from "../parts/data.ts";

const root = document.getElementById("app")!;
try {
  const json = JSON.parse(document.getElementById("trace")!.textContent!);
  if (json.words) speak(json.words);
  document.documentElement.lang = language();
  const trace = traceOf(json);
  document.title = tr("{} - Tilewise trace", trace.call);
  render(<App trace={trace} />, root);
} catch (error) {
  root.textContent = tr("This page cannot be shown: {}", (error as Error).message);
}
