import { medianOfNumbers } from '../median.ts'
import { type BenchLine, benchLines, type BenchPhase, phases } from './lines.ts'
import type { BenchResults } from './results-form.ts'

type Measurements = BenchResults['lines'][number]['phases'][string]

/** Returns the table of docs/benchmarks.md: the times of each command and its goals. */
export function renderResults(results: BenchResults): string {
  const rows = benchLines.flatMap(line => {
    const measured = results.lines.find(({ name }) => name === line.name)
    if (measured === undefined) return []
    return phases.flatMap(phase => {
      const measurements = measured.phases[phase]
      return measurements === undefined
        ? []
        : [renderRow(line, phase, measurements, measured.cores)]
    })
  })
  const versions = Object.entries(results.versions).map(([name, version]) => `${name} ${version}`)
  return [
    '| workload | command | Antichain, s | peer, s | times as fast | goal | MiB | ms for each |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `Measured with \`npm run bench -- all\`: Node ${results.node}, ${versions.join(', ')}.`,
    'Repetitions (the median is shown), load before the first one, date and machine of each workload:',
    '',
    ...describeLines(results),
  ].join('\n')
}

/** Lists the workloads. Those with the same conditions share one list. */
function describeLines({ lines }: BenchResults): readonly string[] {
  const linesByConditions = Map.groupBy(
    lines,
    ({ repetitions, load, date, machine }) => `${repetitions}, load ${load}, ${date}, ${machine}`,
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
  const { antichain, 'null engine': floor } = measurements
  const seconds = antichain && medianOfNumbers(antichain.seconds)
  const peerTimes = (line.peers ?? []).flatMap(name => {
    const measurement = measurements[name]
    return measurement === undefined
      ? []
      : [{ name, seconds: medianOfNumbers(measurement.seconds) }]
  })
  const fastestPeer = peerTimes.toSorted((x, y) => x.seconds - y.seconds)[0]
  const engineCpuSeconds =
    antichain?.engineCpuSeconds && medianOfNumbers(antichain.engineCpuSeconds)
  const facts: CommandFacts = {
    seconds,
    coreSeconds: antichain && medianOfNumbers(antichain.cpuSeconds) / cores,
    ratio: divide(fastestPeer?.seconds, seconds),
    floorRatio: divide(seconds, floor && medianOfNumbers(floor.seconds)),
    peakMib: antichain?.peakMib,
    engineCpuMs: engineCpuSeconds && (engineCpuSeconds * 1_000) / line.resources,
    delayMs: antichain?.delayP99Ms,
  }
  const cells = [
    line.name,
    phase,
    formatNumber(seconds),
    formatPeerTimes(peerTimes),
    formatNumber(facts.ratio),
    formatGoals(line, phase, facts),
    antichain === undefined ? '' : String(antichain.peakMib),
    facts.engineCpuMs?.toFixed(2) ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

/** The figures of one command that goals limit. Undefined: not measured. */
interface CommandFacts {
  readonly seconds: number | undefined
  /** The processor time of all processes, divided by the number of cores. */
  readonly coreSeconds: number | undefined
  /** The time of the fastest peer, divided by Antichain's. */
  readonly ratio: number | undefined
  /** Antichain's time, divided by that of the null engine. */
  readonly floorRatio: number | undefined
  readonly peakMib: number | undefined
  /** The processor time of the engine's own process for each resource. */
  readonly engineCpuMs: number | undefined
  readonly delayMs: number | undefined
}

/** Formats the times of the peers. Each of several times has the name of its peer. */
function formatPeerTimes(
  times: readonly { readonly name: string; readonly seconds: number }[],
): string {
  const texts = times.map(({ name, seconds }) =>
    times.length === 1 ? formatNumber(seconds) : `${name} ${formatNumber(seconds)}`,
  )
  return texts.join(', ')
}

function divide(dividend: number | undefined, divisor: number | undefined): number | undefined {
  return dividend === undefined || divisor === undefined ? undefined : dividend / divisor
}

/** Formats the goals of a command, each with whether it is met. */
function formatGoals(line: BenchLine, phase: BenchPhase, facts: CommandFacts): string {
  const { seconds, coreSeconds, ratio, floorRatio, peakMib, engineCpuMs, delayMs } = facts
  const { destroyFloorSeconds, floorRatioGoal, memoryGoalMib, delayGoalMs } = line
  const destroyGoal =
    phase === 'destroy' && destroyFloorSeconds !== undefined && coreSeconds !== undefined
      ? 1.5 * Math.max(destroyFloorSeconds, coreSeconds)
      : undefined
  const floorGoal = floorRatio === undefined ? undefined : floorRatioGoal
  const delayGoal = delayMs === undefined ? undefined : delayGoalMs
  const goals = [
    ...formatGoal(line.ratioGoals?.[phase], ratio, { unit: 'times', isMinimum: true }),
    ...formatGoal(line.secondsGoals?.[phase], seconds, { unit: 's' }),
    ...formatGoal(destroyGoal, seconds, { unit: 's', digits: 1 }),
    ...formatGoal(floorGoal, floorRatio, { unit: 'times the null engine', shown: true }),
    ...formatGoal(memoryGoalMib, peakMib, { unit: 'MiB' }),
    ...formatGoal(line.engineCpuGoalsMs?.[phase], engineCpuMs, { unit: 'ms for each' }),
    ...formatGoal(delayGoal, delayMs, { unit: 'ms of delay', shown: true }),
  ]
  return goals.join('; ')
}

/**
 * Returns the text of a goal and whether it is met, or nothing for a command without the goal.
 * `shown`: whether the text has the measured figure too, which no column has.
 */
function formatGoal(
  goal: number | undefined,
  measured: number | undefined,
  options: {
    readonly unit: string
    readonly digits?: number
    readonly isMinimum?: boolean
    readonly shown?: boolean
  },
): readonly string[] {
  if (goal === undefined) return []
  const text = `${options.digits === undefined ? goal : goal.toFixed(options.digits)} ${options.unit}`
  if (measured === undefined) return [text]
  const isMet = options.isMinimum === true ? measured >= goal : measured <= goal
  const figure = options.shown === true ? ` (${formatNumber(measured)})` : ''
  return [`${text}: ${isMet ? 'met' : 'not met'}${figure}`]
}
function formatNumber(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(1)
}
