// The laboratory report as one HTML file that needs no other files, for the screen and for A4. It is drawn as a
// whole when it is written, and runs no script.

import type { ComponentChildren } from "preact";
import { type Bench, comparisonsOf, groupsOf, subjectOf } from "../bench/views.ts";
import drawingStyles from "../drawing.css";
import { told, tr } from "../language.ts";
import { significant, withCommas } from "../numbers.ts";
import { Blanks, Paper, textOf } from "../paper.tsx";
import { choiceStyles } from "./figures.tsx";
import { Group, Versions } from "./group.tsx";
import { Remarks } from "./remarks.tsx";
import reportStyles from "./report.css";
import { noFigure, Table } from "./table.tsx";

export interface Gpu {
  name: string;
  compute: string;
  sms: number;
  fp32_lanes_per_sm: number;
  clock_mhz: number;
  peak_fp32_gflops: number;
  /** 0 if there is none, or it is not documented. */
  peak_fp64_gflops: number;
  dram_gb_s: number;
  shared_gb_s: number;
  l2_bytes: number;
  threads_per_sm: number;
  warps_per_sm: number;
  blocks_per_sm: number;
  registers_per_sm: number;
  shared_bytes_per_sm: number;
  shared_bytes_per_block: number;
  threads_per_block: number;
  banks: number;
  /** "GDDR5X"; empty if not known, as is 0 below. */
  memory: string;
  memory_mhz: number;
  graphics_mhz: number;
  memory_bytes: number;
  constant_bytes: number;
  threads_per_warp: number;
  /** The most threads of a block, and the most blocks of a grid, along x, y and z. */
  most_threads: number[];
  most_blocks: number[];
}

/** The parts of the report on a stage that do not depend on measurements. */
export interface StageNotes {
  id: string;
  title: string;
  purpose: string;
  /** Formulas. */
  accesses: string[];
  /** Questions for the student to answer. */
  questions: string[];
  /** Functions that compute in double precision. */
  doubles: string[];
  /** The order from which a grid fills the GPU, with put2025's figure beside it. */
  saturation: { block: string; active_blocks: number; order: number; published: number }[];
  /** The predictions made in `lab predict`, and the counts taken afterwards. */
  predictions: { call: string; figure: string; predicted: string; counted: string; of_solution: boolean }[];
}

export interface Report {
  bench: Bench;
  gpu: Gpu;
  /** The stages in this order, including those without measurements. */
  stages: StageNotes[];
}

const titleOfPage = () => tr("Laboratory report: matrix kernels on a GPU");

// --- What was taken, and how

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function HowTaken({ bench }: { bench: Bench }) {
  return (
    <dl class="facts">
      <Fact name={tr("Kernels")}>
        {subjectOf(bench) === "student" ? tr("the student's own") : tr("the reference solutions")}
      </Fact>
      <Fact name={tr("On")}>{bench.device}</Fact>
      <Fact name={tr("How")}>
        {bench.modelled
          ? tr(
              "modelled: the simulator ran the kernels and counted what they do; the times are worked out from the counts",
            )
          : tr(
              "measured: median times of calls on this GPU; accesses and occupancy come from the simulator and the GPU's limits",
            )}
      </Fact>
      {bench.rows.some((row) => row.contender === "openblas") && (
        <Fact name="CPU">
          {tr(
            "OpenBLAS on the processor of the machine that the figures come from, measured: the median of several runs, and behind ± how far it may be from the true one",
          )}
        </Fact>
      )}
      <Fact name={tr("Command")}>
        <code>{bench.command}</code>
      </Fact>
      <Fact name={tr("Date")}>{bench.date}</Fact>
      <Fact name={tr("Inputs")}>{bench.inputs}</Fact>
    </dl>
  );
}

const mhz = (clock: number) => (clock === 0 ? noFigure : `${significant(clock)} MHz`);
const kib = (bytes: number) => (bytes === 0 ? tr("none") : `${withCommas(Math.floor(bytes / 1024))} KiB`);

function GpuSection({ bench, gpu }: Report) {
  const flopAByte = gpu.peak_fp32_gflops / gpu.dram_gb_s;
  const peak = significant(gpu.peak_fp32_gflops);
  return (
    <section>
      <h2 id="gpu">{tr("The GPU")}</h2>
      {!bench.modelled && (
        <p>
          {tr(
            "Measured on {}; the figures below are those of {}, the card nearest to it that Tilewise knows.",
            bench.device,
            gpu.name,
          )}
        </p>
      )}
      <div class="tables">
        <Table
          caption={gpu.name}
          columns={[{ heading: tr("property"), text: true }, { heading: tr("value") }]}
          rows={[
            [tr("compute capability"), gpu.compute],
            [tr("multiprocessors (SMs)"), withCommas(gpu.sms)],
            [tr("FP32 lanes an SM"), withCommas(gpu.fp32_lanes_per_sm)],
            [tr("clock"), `${significant(gpu.clock_mhz)} MHz`],
            [tr("clock of what is not an SM"), mhz(gpu.graphics_mhz)],
            [tr("peak, single precision"), `${peak} GFLOPS`],
            [
              tr("peak, double precision"),
              gpu.peak_fp64_gflops > 0
                ? `${significant(gpu.peak_fp64_gflops)} GFLOPS`
                : tr("none, or not documented"),
            ],
            [tr("memory"), gpu.memory === "" ? noFigure : gpu.memory],
            [tr("memory, bytes"), gpu.memory_bytes === 0 ? noFigure : withCommas(gpu.memory_bytes)],
            [tr("clock of memory"), mhz(gpu.memory_mhz)],
            [tr("bandwidth of memory"), `${significant(gpu.dram_gb_s)} GB/s`],
            [tr("bandwidth of shared memory, all SMs"), `${significant(gpu.shared_gb_s)} GB/s`],
            [tr("constant memory"), kib(gpu.constant_bytes)],
            [tr("L2 cache"), kib(gpu.l2_bytes)],
            [tr("threads of a warp"), withCommas(gpu.threads_per_warp)],
            [tr("blocks of a grid along x, y, z, at most"), gpu.most_blocks.map(withCommas).join(" × ")],
          ]}
          width="narrow"
        />
        <Table
          caption={tr("What one multiprocessor (SM) holds")}
          columns={[{ heading: tr("resource"), text: true }, { heading: tr("limit") }]}
          rows={[
            [tr("threads"), withCommas(gpu.threads_per_sm)],
            [tr("warps"), withCommas(gpu.warps_per_sm)],
            [tr("blocks"), withCommas(gpu.blocks_per_sm)],
            [tr("registers of 32 bits"), withCommas(gpu.registers_per_sm)],
            [tr("shared memory"), kib(gpu.shared_bytes_per_sm)],
            [tr("shared memory of a block, at most"), kib(gpu.shared_bytes_per_block)],
            [tr("threads of a block, at most"), withCommas(gpu.threads_per_block)],
            [tr("the same along x, y, z"), gpu.most_threads.map(withCommas).join(" × ")],
            [tr("banks of shared memory"), withCommas(gpu.banks)],
          ]}
          width="narrow"
        />
      </div>
      <p>
        {tr(
          "Peaks: every lane completes one fused multiply-add, two operations, a clock; 2 × {} × {} × {} MHz.",
          gpu.sms,
          gpu.fp32_lanes_per_sm,
          significant(gpu.clock_mhz),
        )}{" "}
        {told(
          "{} {} / {} = {} operations a byte, {} an element of 4 bytes. A kernel whose CGMA is lower than that, as far as caches do not help, waits for memory; above it, arithmetic can be the limit.",
          <strong>{tr("Ridge point:")}</strong>,
          peak,
          significant(gpu.dram_gb_s),
          flopAByte.toFixed(1),
          (4 * flopAByte).toFixed(1),
        )}
      </p>
    </section>
  );
}

// --- Stages

/** Questions with room for their answers. `id` distinguishes the boxes of several calls. */
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

/** put2025 counts parts of blocks as blocks, and assumes as many blocks per SM as threads allow. */
function Saturation({ notes, gpu }: { notes: StageNotes; gpu: Gpu }) {
  return (
    <>
      <Table
        caption={tr("Orders from which a grid fills {}", gpu.name)}
        columns={[
          { heading: tr("block"), text: true },
          { heading: tr("blocks an SM") },
          { heading: tr("smallest order") },
          { heading: "put2025, GTX 1080" },
        ]}
        rows={notes.saturation.map((row) => [
          row.block,
          withCommas(row.active_blocks),
          withCommas(row.order),
          withCommas(row.published),
        ])}
        width="narrow"
      />
      <p>
        {tr(
          "The smallest order whose grid has a block for every place on every SM. put2025's orders are higher: they come of (n / (tile r))² ≥ blocks, where a part of a block counts as a part, though the grid is rounded up; and of as many blocks an SM as threads allow, where registers or shared memory may leave fewer.",
        )}
      </p>
    </>
  );
}

function Predictions({ notes }: { notes: StageNotes }) {
  return (
    <Table
      caption={tr("What was predicted, and what was counted then")}
      columns={[
        { heading: tr("call"), text: true },
        { heading: tr("figure"), text: true },
        { heading: tr("predicted") },
        { heading: tr("counted") },
        { heading: tr("of whom"), text: true },
      ]}
      rows={notes.predictions.map((each) => [
        each.call,
        each.figure,
        each.predicted,
        each.counted,
        each.of_solution ? tr("the solution") : tr("own kernels"),
      ])}
    />
  );
}

function StageSection({ notes, report }: { notes: StageNotes; report: Report }) {
  const groups = groupsOf(report.bench).filter((group) => group.stage === notes.id);
  return (
    <section class="new-page">
      <h2 id={`stage-${notes.id}`}>{notes.title}</h2>
      <p class="purpose">{notes.purpose}</p>
      {notes.predictions.length > 0 && <Predictions notes={notes} />}
      <Remarks stage={notes.id} bench={report.bench} />
      {groups.length > 0 ? (
        <>
          <p>{tr("Elements of global memory, by pencil and paper:")}</p>
          <ul class="formulas">
            {notes.accesses.map((formula) => (
              <li>{formula}</li>
            ))}
          </ul>
          {notes.saturation.length > 0 && <Saturation notes={notes} gpu={report.gpu} />}
          {groups.map((group) => (
            <Group group={group} report={report} />
          ))}
        </>
      ) : (
        <p class="missing">{tr("There are no figures of this stage.")}</p>
      )}
      <h3>{tr("Conclusions")}</h3>
      <Conclusions id={notes.id} questions={notes.questions} />
    </section>
  );
}

const lastQuestions = () => [
  tr("Which change brought most, and which brought nothing on this GPU? Why?"),
  tr("What limits the fastest version, and what would you change next?"),
  tr("Where do theory (occupancy, CGMA, peaks) and figures disagree?"),
];

function Page(report: Report) {
  const { bench, stages } = report;
  const comparisons = comparisonsOf(bench);
  const contents = [
    ["gpu", tr("The GPU")],
    ...stages.map((stage) => [`stage-${stage.id}`, stage.title]),
    ...(comparisons.length > 0 ? [["comparison", tr("All versions compared")]] : []),
    ["conclusions", tr("Conclusions")],
  ];
  return (
    <Paper title={titleOfPage()} styles={drawingStyles + reportStyles + choiceStyles}>
      <header>
        <h1>{titleOfPage()}</h1>
        <Blanks />
        <p class="hint">
          {tr("Type into the lines and boxes, then print, also to PDF; or print first and write by hand.")}
        </p>
        <HowTaken bench={bench} />
        <nav aria-label={tr("Contents")}>
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
          <h2 id="comparison">{tr("All versions compared")}</h2>
          {comparisons.map((comparison) => (
            <Versions comparison={comparison} report={report} />
          ))}
        </section>
      )}
      <section>
        <h2 id="conclusions">{tr("Conclusions from all stages")}</h2>
        <Conclusions id="all" questions={lastQuestions()} />
      </section>
    </Paper>
  );
}

export const reportPage = (report: Report) => textOf(<Page {...report} />);
