/**
 * Measures the codec of states. `--sizes` lists numbers of resources, or of entries for the steps
 * that fold. The steps are decode, encode, fold, verify, fold-texts, verify-bytes and diff, or
 * those of `--steps`. As a deployment does, `fold-texts` folds the texts of entries to the bytes of
 * a state, and `verify-bytes` verifies the bytes of a state. Each step is measured `--repetitions`
 * times. Prints one JSON line for each step and size. The line has the medians of wall time, of the
 * main thread's processor time, and of the longest delay of the event loop. On a busy machine only
 * processor time is comparable. Usage:
 * `node bench/codec.ts [--sizes n,n] [--repetitions n] [--steps name,name]`.
 */
import { cpus, loadavg, release } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { codecSteps, type PreparedStep } from './codec/steps.ts'
import { medianOfNumbers } from './median.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    repetitions: { type: 'string', default: '3' },
    steps: { type: 'string', default: [...codecSteps.keys()].join(',') },
  },
})
const repetitions = Number(values.repetitions)

const roundToHundredths = (number: number): number => Math.round(number * 100) / 100

/**
 * Measures a prepared step `repetitions` times. Prints the median times of one run, and the median
 * of the longest delays of the repetitions.
 */
async function measure(step: string, size: number, prepared: PreparedStep): Promise<void> {
  const runs = Math.max(1, Math.round((prepared.sizePerRepetition ?? 0) / size))
  const wallMs: number[] = []
  const cpuMs: number[] = []
  const delayMs: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const startMs = performance.now()
    const startUsage = process.threadCpuUsage()
    const delays = monitorEventLoopDelay({ resolution: 5 })
    delays.enable()
    // The delay of a synchronous run is sampled in the turn after it.
    for (let count = 0; count < runs; count++) {
      await prepared.run()
      await setImmediate()
    }
    delays.disable()
    delayMs.push(delays.max / 1e6)
    const { user, system } = process.threadCpuUsage(startUsage)
    wallMs.push((performance.now() - startMs) / runs)
    cpuMs.push((user + system) / 1000 / runs)
  }
  const line = {
    bench: 'codec',
    step,
    size,
    repetitions,
    wallMs: roundToHundredths(medianOfNumbers(wallMs)),
    cpuMs: roundToHundredths(medianOfNumbers(cpuMs)),
    delayMs: Math.round(medianOfNumbers(delayMs)),
    cpuMicrosecondsPerResource: roundToHundredths((medianOfNumbers(cpuMs) * 1000) / size),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${process.platform} ${release()}`,
    node: process.version,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

for (const size of values.sizes.split(',').map(Number))
  for (const step of values.steps.split(',')) {
    const prepare = codecSteps.get(step)
    if (prepare === undefined)
      throw new Error(`unknown step '${step}': the steps are ${[...codecSteps.keys()].join(', ')}`)
    await measure(step, size, await prepare(size))
  }
