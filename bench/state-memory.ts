/**
 * Measures memory and delays of the codec with a large state: each step in a process of its own,
 * from a file. Prints one JSON line for each step. `peakMegabytes` is the peak of resident memory.
 * `delayMs` is the longest delay of the event loop, which includes the time of other processes.
 * `turnCpuMs` is the longest processor time of the thread between two callbacks of a timer. The
 * texts of different resources differ, and outputs repeat inputs. Usage: `node
 * bench/state-memory.ts [--resources n] [--repetitions n]`.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { emptyDeployment } from '../shared/state/empty-deployment.ts'
import { openManagerFromState } from '../shared/secrets/secrets-from-state.ts'
import { printStateBlob } from '../shared/state/print-envelope.ts'
import {
  decodeSnapshot,
  envelopeOf,
  parseEnvelope,
  printEnvelopeInChunks,
  recodeDeployment,
} from '../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'

const steps = ['parse', 'print', 'blob', 'decode', 'recode'] as const

/** The flag that `cli/antichain` gives to Node. */
const youngGenerationFlag = '--max-semi-space-size=16'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: '100000' },
    repetitions: { type: 'string', default: '3' },
    step: { type: 'string' },
    file: { type: 'string' },
  },
})

/** Yields the text of a state, a resource at a time. Each resource has some 3 KB. */
function* printState(count: number): Generator<string> {
  const prefix = 'urn:pulumi:dev::bench::'
  const stack = `${prefix}pulumi:pulumi:Stack::bench-dev`
  yield '{"version":3,"deployment":{"manifest":{"time":"2026-01-01T00:00:00Z","magic":"","version":""},'
  yield `"metadata":{},"resources":[{"urn":"${stack}","custom":false,"type":"pulumi:pulumi:Stack"}`
  for (let index = 0; index < count; index += 1) {
    const inputs = {
      name: `thing-${index}`,
      tags: { owner: 'bench', team: 'core' },
      text: randomBytes(425).toString('hex'),
      rules: Array.from({ length: 8 }, (_, port) => ({ port, cidr: '10.0.0.0/8', on: true })),
    }
    const resource = {
      urn: `${prefix}pkg:index:Thing::thing-${index}`,
      custom: true,
      id: `id-${index}`,
      type: 'pkg:index:Thing',
      inputs,
      outputs: { ...inputs, arn: `arn:bench:thing/${index}` },
      parent: stack,
      created: '2026-01-01T00:00:00Z',
    }
    yield `,${JSON.stringify(resource)}`
  }
  yield ']}}'
}

/** Runs a step with a parsed state. For the step `parse` nothing is left to do. */
async function runStep(step: string, stored: StoredDeployment): Promise<unknown> {
  const manager = await openManagerFromState({ type: 'b64', state: null }, undefined)
  if (step === 'print')
    return pipeline(
      Readable.from(printEnvelopeInChunks(await envelopeOf(stored))),
      createWriteStream('/dev/null'),
    )
  if (step === 'blob') return printStateBlob(await envelopeOf(stored))
  if (step === 'decode') return decodeSnapshot(stored, manager)
  if (step === 'recode') return recodeDeployment(stored, manager, { manager, mode: 'kept' })
  return undefined
}

/**
 * Measures the longest processor time of this thread between two callbacks of a timer. Returns a
 * function that ends the measurement and returns this time, in ms.
 */
function measureTurns(): () => number {
  let longestMs = 0
  let start = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(start)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    start = process.threadCpuUsage()
  }, 3)
  return () => {
    clearInterval(timer)
    return longestMs
  }
}

async function measureStep(step: string, file: string): Promise<void> {
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  const endTurns = measureTurns()
  const { deployment } = await parseEnvelope(createReadStream(file))
  const result = await runStep(step, deployment ?? emptyDeployment)
  delays.disable()
  const turnCpuMs = Math.round(endTurns())
  const peakBytes = process.resourceUsage().maxRSS * 1024
  const line = {
    step,
    fileMegabytes: Math.round(statSync(file).size / 1e6),
    peakMegabytes: Math.round(peakBytes / 1e6),
    timesFile: Number((peakBytes / statSync(file).size).toFixed(2)),
    delayMs: Math.round(delays.max / 1e6),
    turnCpuMs,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    node: process.version,
  }
  // The condition keeps the result in memory until the peak was read.
  if (result !== null)
    process.stdout.write(`${JSON.stringify({ bench: 'state-memory', ...line })}\n`)
}

if (values.step !== undefined && values.file !== undefined)
  await measureStep(values.step, values.file)
else {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-state-'))
  const file = join(folder, 'state.json')
  await pipeline(Readable.from(printState(Number(values.resources))), createWriteStream(file))
  for (const step of steps)
    for (let count = 0; count < Number(values.repetitions); count += 1) {
      const { status, signal } = spawnSync(
        process.execPath,
        [youngGenerationFlag, import.meta.filename, '--step', step, '--file', file],
        { stdio: 'inherit' },
      )
      if (status === 0) continue
      console.error(`bench: the step '${step}' ended with ${signal ?? status}`)
      process.exitCode = 1
    }
  rmSync(folder, { recursive: true })
}
