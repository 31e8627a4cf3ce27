import { medianOfNumbers } from '../median.ts'
import { type BenchLine, benchLines, type BenchPhase, phases } from './lines.ts'
import type { BenchResults } from './results-form.ts'

type Measurements = BenchResults['lines'][number]['phases'][string]

/** Returns the table of docs/benchmarks.md: the times of each command and its goals. */
export function renderResults(results: BenchResults): string {
  const rows = benchLines.flatMap(line => {
    const measured = results.lines.find(({ name }) => name === line.name)?.phases
    if (measured === undefined) return []
    return phases.flatMap(phase => {
      const measurements = measured[phase]
      return measurements === undefined ? [] : [renderRow(line, phase, measurements, results.cores)]
    })
  })
  const versions = Object.entries(results.versions).map(([name, version]) => `${name} ${version}`)
  return [
    '| workload | command | Antichain, s | Pulumi, s | times as fast | goal | Antichain, MiB |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `Measured with \`npm run bench -- all\` on ${results.machine}; Node ${results.node}, ${versions.join(', ')}.`,
    'Repetitions (the median is shown), load before the first one, and date of each workload:',
    '',
    ...describeLines(results),
  ].join('\n')
}

/** Lists the workloads. Those with equal repetitions, load and date share one list. */
function describeLines({ lines }: BenchResults): readonly string[] {
  const linesByConditions = Map.groupBy(
    lines,
    ({ repetitions, load, date }) => `${repetitions}, load ${load}, ${date}`,
  )
  return [...linesByConditions].flatMap(([conditions, group]) => [
    `- ${conditions}:`,
    ...group.map(({ name }) => `    - ${name}`),
  ])
}

function renderRow(
  line: BenchLine,
  phase: BenchPhase,
  measurements: Measurements,
  cores: number,
): string {
  const { antichain, pulumi } = measurements
  const seconds = antichain && medianOfNumbers(antichain.seconds)
  const peerSeconds = pulumi && medianOfNumbers(pulumi.seconds)
  const ratio =
    seconds === undefined || peerSeconds === undefined ? undefined : peerSeconds / seconds
  const cpuSeconds = antichain && medianOfNumbers(antichain.cpuSeconds)
  const coreSeconds = cpuSeconds === undefined ? undefined : cpuSeconds / cores
  const cells = [
    line.name,
    phase,
    formatNumber(seconds),
    formatNumber(peerSeconds),
    formatNumber(ratio),
    formatGoals(line, phase, { seconds, coreSeconds, ratio, peakMib: antichain?.peakMib }),
    antichain === undefined ? '' : String(antichain.peakMib),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Formats the goals of a command, each with whether it is met. */
function formatGoals(
  { ratioGoals, secondsGoals, destroyFloorSeconds, memoryGoalMib }: BenchLine,
  phase: BenchPhase,
  measured: {
    readonly seconds: number | undefined
    /** The processor time, divided by the number of cores. */
    readonly coreSeconds: number | undefined
    readonly ratio: number | undefined
    readonly peakMib: number | undefined
  },
): string {
  const goals: readonly (readonly [text: string, isMet: boolean | undefined])[] = [
    ...withGoal(ratioGoals?.[phase], goal => [
      `${goal} times`,
      measured.ratio === undefined ? undefined : measured.ratio >= goal,
    ]),
    ...withGoal(secondsGoals?.[phase], goal => [
      `${goal} s`,
      measured.seconds === undefined ? undefined : measured.seconds <= goal,
    ]),
    ...withGoal(
      phase === 'destroy' && destroyFloorSeconds !== undefined && measured.coreSeconds !== undefined
        ? 1.5 * Math.max(destroyFloorSeconds, measured.coreSeconds)
        : undefined,
      goal => [
        `${goal.toFixed(1)} s`,
        measured.seconds === undefined ? undefined : measured.seconds <= goal,
      ],
    ),
    ...withGoal(memoryGoalMib, goal => [
      `${goal} MiB`,
      measured.peakMib === undefined ? undefined : measured.peakMib <= goal,
    ]),
  ]
  return goals
    .map(([text, isMet]) => (isMet === undefined ? text : `${text}: ${isMet ? 'met' : 'not met'}`))
    .join('; ')
}

/** Returns the text of a goal and whether it is met, or nothing for a command without the goal. */
function withGoal(
  goal: number | undefined,
  describe: (goal: number) => readonly [string, boolean | undefined],
): readonly (readonly [string, boolean | undefined])[] {
  return goal === undefined ? [] : [describe(goal)]
}

function formatNumber(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(1)
}
