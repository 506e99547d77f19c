import { tr } from "../language.ts";
import type { Finding } from "../parts/data.ts";
import type { Props } from "./app.tsx";
import { showFinding } from "./state.ts";

function Place({ finding }: { finding: Finding }) {
  const other = finding.other_line > 0 && finding.other_line !== finding.line;
  return (
    <span class="mono">
      {finding.file}:{finding.line}
      {other && tr(" and {}", finding.other_line)}
    </span>
  );
}

/**
 * The findings of the checks. The one nearest the cause comes first and in full; the others are folded behind it.
 */
export function Findings(props: Props) {
  const { trace, state, change } = props;
  if (trace.findings.length === 0) return null;
  const [first, ...others] = trace.findings;
  const inFull = (finding: Finding, i: number) => {
    const shown = showFinding(trace, state, [finding.line, finding.other_line]);
    return (
      <div class="finding">
        <p class="head">
          <strong>{finding.kind}</strong> <Place finding={finding} />
          {shown !== state && (
            <button data-finding={i} onClick={() => change(shown)}>
              {tr("Show it")}
            </button>
          )}
        </p>
        <p>{finding.message}</p>
      </div>
    );
  };
  return (
    <section class="card findings" aria-label={tr("What the checks found")}>
      {inFull(first, 0)}
      {others.length > 0 && (
        <details>
          <summary>
            {others.length === 1
              ? tr("1 more finding, which may come of the same mistake")
              : tr("{} more findings, which may come of the same mistake", others.length)}
          </summary>
          {others.map((finding, i) => inFull(finding, i + 1))}
        </details>
      )}
    </section>
  );
}
