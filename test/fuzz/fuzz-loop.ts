/**
 * The loop of a fuzz run. It runs in a thread of its own, so that an endless loop, a crash or
 * unbounded memory ends this thread only.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { DeployError, isErrorCode } from '../../shared/errors/error.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { loadTarget } from './load-target.ts'
import { createMutant } from './mutate.ts'
import { readCorpus } from './read-corpus.ts'

/**
 * The task of the thread: `count` inputs from number `from` on. `progress` has the number of the
 * current input.
 */
export interface FuzzTask {
  readonly decoder: string
  readonly seed: number
  readonly from: number
  readonly count: number
  readonly progress: Int32Array<SharedArrayBuffer>
}

/** A defect: the number of the input, the input in base64, and the error. */
export interface FuzzDefect {
  readonly index: number
  readonly input: string
  readonly problem: string
}

/** The result of a thread. */
export interface FuzzLoopResult {
  readonly acceptedCount: number
  readonly refusedCount: number
  readonly defects: readonly FuzzDefect[]
  readonly slowestMs: number
}

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

async function runTask(task: FuzzTask): Promise<FuzzLoopResult> {
  const target = await loadTarget(task.decoder)
  const corpus = [...readCorpus(task.decoder).values()]
  const defects = new Map<string, FuzzDefect>()
  let [acceptedCount, refusedCount, slowestMs] = [0, 0, 0]
  for (let index = task.from; index < task.from + task.count; index++) {
    Atomics.store(task.progress, 0, index)
    const input = createMutant(corpus, task.seed, index)
    const start = process.threadCpuUsage()
    const verdict = await runInput(target, input)
    const cpuUsage = process.threadCpuUsage(start)
    const usedMs = (cpuUsage.user + cpuUsage.system) / 1000
    slowestMs = Math.max(slowestMs, usedMs)
    const problem = usedMs > inputMsMax ? `the input took ${Math.round(usedMs)} ms` : verdict
    if (problem === 'accepted') acceptedCount += 1
    else if (problem === 'refused') refusedCount += 1
    else {
      const signature = signatureOfDefect(problem)
      if (!defects.has(signature))
        defects.set(signature, { index, input: Buffer.from(input).toString('base64'), problem })
      if (defects.size >= defectsMax) break
    }
  }
  await target.close?.()
  return { acceptedCount, refusedCount, slowestMs, defects: [...defects.values()] }
}

parentPort?.postMessage(await runTask(workerData as FuzzTask))
