// The laboratory report as one HTML file that needs nothing beside it, for the screen and for A4. It is drawn
// as a whole when it is written, and runs no script.

import type { ComponentChildren } from "preact";
import { render } from "preact-render-to-string";
import { type Bench, comparisonsOf, groupsOf, subjectOf } from "../bench/views.ts";
import { themes } from "../colours.js";
import drawingStyles from "../drawing.css";
import { significant, withCommas } from "../numbers.ts";
import { Group, Versions } from "./group.tsx";
import { Remarks } from "./remarks.tsx";
import reportStyles from "./report.css";
import { Table } from "./table.tsx";

export interface Gpu {
  name: string;
  compute: string;
  sms: number;
  fp32_lanes_per_sm: number;
  clock_mhz: number;
  peak_fp32_gflops: number;
  /** 0: none, or not documented */
  peak_fp64_gflops: number;
  dram_gb_s: number;
  l2_bytes: number;
  threads_per_sm: number;
  warps_per_sm: number;
  blocks_per_sm: number;
  registers_per_sm: number;
  shared_bytes_per_sm: number;
  shared_bytes_per_block: number;
  threads_per_block: number;
  banks: number;
}

/** What the report says of a stage whatever was measured. */
export interface StageNotes {
  id: string;
  title: string;
  purpose: string;
  /** Formulas. */
  accesses: string[];
  /** That the student answers. */
  questions: string[];
  /** Functions that compute in double precision. */
  doubles: string[];
}

export interface Report {
  bench: Bench;
  gpu: Gpu;
  /** In this order, also those that nothing was measured of. */
  stages: StageNotes[];
}

const title = "Laboratory report: matrix kernels on a GPU";

// --- What was taken, and how

function Blank({ id, name }: { id: string; name: string }) {
  return (
    <div class="blank">
      <span id={id}>{name}</span>
      <div contentEditable role="textbox" aria-labelledby={id} />
    </div>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function HowTaken({ bench }: { bench: Bench }) {
  return (
    <dl class="facts">
      <Fact name="Kernels">
        {subjectOf(bench) === "student" ? "the student's own" : "the reference solutions"}
      </Fact>
      <Fact name="On">{bench.device}</Fact>
      <Fact name="How">
        {bench.modelled
          ? "modelled: the simulator ran the kernels and counted what they do; the times are worked out from the counts"
          : "measured: median times of calls on this GPU; accesses and occupancy come from the simulator and the GPU's limits"}
      </Fact>
      {bench.rows.some((row) => row.contender === "openblas") && (
        <Fact name="CPU">OpenBLAS on the processor of the machine that the figures come from, measured</Fact>
      )}
      <Fact name="Command">
        <code>{bench.command}</code>
      </Fact>
      <Fact name="Date">{bench.date}</Fact>
      <Fact name="Inputs">{bench.inputs}</Fact>
    </dl>
  );
}

const kib = (bytes: number) => (bytes === 0 ? "none" : `${withCommas(Math.floor(bytes / 1024))} KiB`);

function GpuSection({ bench, gpu }: Report) {
  const flopAByte = gpu.peak_fp32_gflops / gpu.dram_gb_s;
  const peak = significant(gpu.peak_fp32_gflops);
  return (
    <section>
      <h2 id="gpu">The GPU</h2>
      {!bench.modelled && (
        <p>
          Measured on {bench.device}; the figures below are those of {gpu.name}, the card nearest to it that
          Tilewise knows.
        </p>
      )}
      <div class="tables">
        <Table
          caption={gpu.name}
          columns={[{ heading: "property", text: true }, { heading: "value" }]}
          rows={[
            ["compute capability", gpu.compute],
            ["multiprocessors (SMs)", withCommas(gpu.sms)],
            ["FP32 lanes an SM", withCommas(gpu.fp32_lanes_per_sm)],
            ["clock", `${significant(gpu.clock_mhz)} MHz`],
            ["peak, single precision", `${peak} GFLOPS`],
            [
              "peak, double precision",
              gpu.peak_fp64_gflops > 0
                ? `${significant(gpu.peak_fp64_gflops)} GFLOPS`
                : "none, or not documented",
            ],
            ["bandwidth of memory", `${significant(gpu.dram_gb_s)} GB/s`],
            ["L2 cache", kib(gpu.l2_bytes)],
          ]}
          width="narrow"
        />
        <Table
          caption="What one multiprocessor (SM) holds"
          columns={[{ heading: "resource", text: true }, { heading: "limit" }]}
          rows={[
            ["threads", withCommas(gpu.threads_per_sm)],
            ["warps", withCommas(gpu.warps_per_sm)],
            ["blocks", withCommas(gpu.blocks_per_sm)],
            ["registers of 32 bits", withCommas(gpu.registers_per_sm)],
            ["shared memory", kib(gpu.shared_bytes_per_sm)],
            ["shared memory of a block, at most", kib(gpu.shared_bytes_per_block)],
            ["threads of a block, at most", withCommas(gpu.threads_per_block)],
            ["banks of shared memory", withCommas(gpu.banks)],
          ]}
          width="narrow"
        />
      </div>
      <p>
        Peaks: every lane completes one fused multiply-add, two operations, a clock; 2 × {gpu.sms} ×{" "}
        {gpu.fp32_lanes_per_sm} × {significant(gpu.clock_mhz)}
        {"\u00a0"}MHz. <strong>Ridge point:</strong> {peak} / {significant(gpu.dram_gb_s)} ={" "}
        {flopAByte.toFixed(1)} operations a byte, {(4 * flopAByte).toFixed(1)} an element of 4 bytes. A kernel
        whose CGMA is lower than that, as far as caches do not help, waits for memory; above it, arithmetic
        can be the limit.
      </p>
    </section>
  );
}

// --- Stages

/** Questions with room for their answers. `id` tells the boxes of several calls apart. */
function Conclusions({ id, questions }: { id: string; questions: string[] }) {
  return (
    <>
      {questions.map((question, i) => (
        <div class="answer">
          <p id={`${id}-question-${i + 1}`}>{question}</p>
          <div
            class="lines"
            contentEditable
            role="textbox"
            aria-multiline="true"
            aria-labelledby={`${id}-question-${i + 1}`}
          />
        </div>
      ))}
    </>
  );
}

function StageSection({ notes, report }: { notes: StageNotes; report: Report }) {
  const groups = groupsOf(report.bench).filter((group) => group.stage === notes.id);
  return (
    <section class="new-page">
      <h2 id={`stage-${notes.id}`}>{notes.title}</h2>
      <p class="purpose">{notes.purpose}</p>
      <Remarks stage={notes.id} bench={report.bench} />
      {groups.length > 0 ? (
        <>
          <p>Elements of global memory, by pencil and paper:</p>
          <ul class="formulas">
            {notes.accesses.map((formula) => (
              <li>{formula}</li>
            ))}
          </ul>
          {groups.map((group) => (
            <Group group={group} report={report} />
          ))}
        </>
      ) : (
        <p class="missing">There are no figures of this stage.</p>
      )}
      <h3>Conclusions</h3>
      <Conclusions id={notes.id} questions={notes.questions} />
    </section>
  );
}

const lastQuestions = [
  "Which change brought most, and which brought nothing on this GPU? Why?",
  "What limits the fastest version, and what would you change next?",
  "Where do theory (occupancy, CGMA, peaks) and figures disagree?",
];

function Page(report: Report) {
  const { bench, stages } = report;
  const comparisons = comparisonsOf(bench);
  const contents = [
    ["gpu", "The GPU"],
    ...stages.map((stage) => [`stage-${stage.id}`, stage.title]),
    ...(comparisons.length > 0 ? [["comparison", "All versions compared"]] : []),
    ["conclusions", "Conclusions"],
  ];
  return (
    <html lang="en">
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
        <style dangerouslySetInnerHTML={{ __html: themes() + drawingStyles + reportStyles }} />
      </head>
      <body>
        <main>
          <header>
            <h1>{title}</h1>
            <div class="blanks">
              <Blank id="name" name="Name" />
              <Blank id="group" name="Group" />
              <Blank id="date" name="Date" />
            </div>
            <p class="hint">
              Type into the lines and boxes, then print, also to PDF; or print first and write by hand.
            </p>
            <HowTaken bench={bench} />
            <nav aria-label="Contents">
              <ul>
                {contents.map(([id, text]) => (
                  <li>
                    <a href={`#${id}`}>{text}</a>
                  </li>
                ))}
              </ul>
            </nav>
          </header>
          <GpuSection {...report} />
          {stages.map((notes) => (
            <StageSection notes={notes} report={report} />
          ))}
          {comparisons.length > 0 && (
            <section>
              <h2 id="comparison">All versions compared</h2>
              {comparisons.map((comparison) => (
                <Versions comparison={comparison} report={report} />
              ))}
            </section>
          )}
          <section>
            <h2 id="conclusions">Conclusions from all stages</h2>
            <Conclusions id="all" questions={lastQuestions} />
          </section>
        </main>
      </body>
    </html>
  );
}

/** Ends of blocks, behind which those who read the source find the next line. */
const blockEnds =
  /<\/(?:caption|div|dl|figure|g|h[123]|head|header|li|nav|p|section|style|svg|table|tbody|thead|tr|ul)>/g;

export const reportPage = (report: Report) =>
  `<!DOCTYPE html>\n${render(<Page {...report} />).replace(blockEnds, "$&\n")}\n`;
