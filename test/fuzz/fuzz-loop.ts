/**
 * The loop of a fuzz run. It runs in a thread of its own, so that an endless loop, a crash or
 * unbounded memory ends this thread only.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { DeployError, isErrorCode } from '../../shared/errors/error.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { type FuzzMessage, type FuzzTask, progressPlaces } from './fuzz-task.ts'
import { loadTarget } from './load-target.ts'
import { createMutant } from './mutate.ts'
import { readCorpus } from './read-corpus.ts'

/** Longest processor time of one input, in milliseconds. */
const inputMsMax = 1_000
const defectsMax = 20

/** Prototypes that no decoder may change, with the number of their properties. */
const prototypes = [Object.prototype, Array.prototype, Function.prototype, Map.prototype]
const propertyCounts = prototypes.map(prototype => Reflect.ownKeys(prototype).length)

/** Runs one input. Returns 'accepted', 'refused', or the description of a defect. */
async function runInput(target: FuzzTarget, input: Uint8Array): Promise<string> {
  let verdict = 'accepted'
  try {
    const result = target.decode(input)
    if (result instanceof Promise) await result
  } catch (thrown) {
    verdict = isLawfulRefusal(target, thrown) ? 'refused' : describe(thrown)
  }
  const isUnchanged = prototypes.every(
    (prototype, index) => Reflect.ownKeys(prototype).length === propertyCounts[index],
  )
  return isUnchanged ? verdict : 'a prototype was changed'
}

function isLawfulRefusal(target: FuzzTarget, thrown: unknown): boolean {
  if (thrown instanceof DeployError)
    return isErrorCode(thrown.code) && !thrown.code.startsWith('INTERNAL_')
  return target.isRefusal?.(thrown) === true
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** Returns the part of a description that is equal for repetitions of one defect. */
const signatureOfDefect = (problem: string): string =>
  problem
    .split('\n')
    .filter(line => line.includes('    at '))
    .slice(0, 2)
    .join('\n') || problem.slice(0, 60)

/** Runs the inputs of a task. Returns the processor time of the slowest one, in ms. */
async function runTask(task: FuzzTask): Promise<number> {
  const target = await loadTarget(task.decoder)
  const corpus = [...readCorpus(task.decoder).values()]
  const signatures = new Set<string>()
  let slowestMs = 0
  for (let index = task.from; index < task.from + task.count; index++) {
    Atomics.store(task.progress, progressPlaces.currentIndex, index)
    const input = createMutant(corpus, task.seed, index)
    const start = process.threadCpuUsage()
    const verdict = await runInput(target, input)
    const cpuUsage = process.threadCpuUsage(start)
    const usedMs = (cpuUsage.user + cpuUsage.system) / 1000
    slowestMs = Math.max(slowestMs, usedMs)
    const problem = usedMs > inputMsMax ? `the input took ${Math.round(usedMs)} ms` : verdict
    if (problem === 'accepted') Atomics.add(task.progress, progressPlaces.acceptedCount, 1)
    else if (problem === 'refused') Atomics.add(task.progress, progressPlaces.refusedCount, 1)
    else {
      const signature = signatureOfDefect(problem)
      if (signatures.has(signature)) continue
      signatures.add(signature)
      post({
        kind: 'defect',
        defect: { index, input: Buffer.from(input).toString('base64'), problem },
      })
      if (signatures.size >= defectsMax) break
    }
  }
  await target.close?.()
  return slowestMs
}

function post(message: FuzzMessage): void {
  parentPort?.postMessage(message)
}

post({ kind: 'end', slowestMs: await runTask(workerData as FuzzTask) })
