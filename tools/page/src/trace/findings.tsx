import type { Props } from "./app.tsx";
import { showFinding } from "./state.ts";

export function Findings({ trace, state, change }: Props) {
  if (trace.findings.length === 0) return null;
  return (
    <section class="card findings" aria-label="What the checks found">
      <h2>Found</h2>
      <ul>
        {trace.findings.map((finding, i) => {
          const shown = showFinding(trace, state, [finding.line, finding.other_line]);
          return (
            <li key={i}>
              <strong>{finding.kind}</strong>{" "}
              <span class="mono">
                {finding.file}:{finding.line}
                {finding.other_line > 0 && ` and ${finding.other_line}`}
              </span>
              <p>{finding.message}</p>
              {shown !== state && (
                <button data-finding={i} onClick={() => change(shown)}>
                  Show
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
