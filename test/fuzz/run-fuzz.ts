import { Worker } from 'node:worker_threads'
import type { FuzzDefect, FuzzLoopResult, FuzzTask } from './fuzz-loop.ts'

/** Time without a new input after which the thread counts as hung. */
const hangMs = 30_000
/** Memory of the thread, in megabytes. */
const memoryMegabytes = 1_024

/** A run: a decoder, a seed, and the numbers of its inputs. */
export type FuzzRun = Omit<FuzzTask, 'progress'>

/** The result of a run. */
export interface FuzzReport extends FuzzLoopResult {
  readonly target: string
  readonly seed: number
  readonly inputCount: number
  readonly seconds: number
}

/**
 * Runs mutated inputs through one decoder in a thread with limited memory. A hung or crashed thread
 * is a defect of its current input.
 */
export async function runFuzz(run: FuzzRun): Promise<FuzzReport> {
  const progress = new Int32Array(new SharedArrayBuffer(4))
  const startMs = performance.now()
  const result = await runThread({ ...run, progress })
  const { decoder: target, seed } = run
  const { acceptedCount, refusedCount, defects } = result
  const inputCount = defects.length === 0 ? run.count : acceptedCount + refusedCount
  const seconds = Math.round((performance.now() - startMs) / 100) / 10
  return { target, seed, inputCount, seconds, ...result }
}

function runThread(task: FuzzTask): Promise<FuzzLoopResult> {
  const worker = new Worker(new URL('./fuzz-loop.ts', import.meta.url), {
    workerData: task,
    // The stack of the main thread has about one megabyte.
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, stackSizeMb: 1 },
  })
  return new Promise(resolve => {
    let lastIndex = -1
    const endWithDefect = (problem: string): void => {
      clearInterval(watchdog)
      const index = Atomics.load(task.progress, 0)
      const defect: FuzzDefect = { index, input: '', problem }
      const acceptedCount = index - task.from
      void worker.terminate()
      resolve({ acceptedCount, refusedCount: 0, slowestMs: 0, defects: [defect] })
    }
    const watchdog = setInterval(() => {
      const index = Atomics.load(task.progress, 0)
      if (index === lastIndex) endWithDefect(`no result within ${hangMs} ms`)
      lastIndex = index
    }, hangMs)
    worker.on('error', thrown => endWithDefect(`the thread ended: ${String(thrown)}`))
    worker.on('message', (result: FuzzLoopResult) => {
      clearInterval(watchdog)
      resolve(result)
    })
  })
}
