import { Worker } from 'node:worker_threads'
import { type FuzzDefect, type FuzzMessage, type FuzzTask, progressPlaces } from './fuzz-task.ts'

/** Memory of the thread, in megabytes. */
const memoryMegabytes = 1_024

/** A run: a decoder, a seed, and the numbers of its inputs. */
export type FuzzRun = Omit<FuzzTask, 'progress'>

/** The result of a run. */
export interface FuzzReport {
  readonly target: string
  readonly seed: number
  readonly seconds: number
  /** The number of inputs that were started. */
  readonly inputCount: number
  readonly acceptedCount: number
  readonly refusedCount: number
  /** The processor time of the slowest input; 0 if the thread hung or crashed. */
  readonly slowestMs: number
  readonly defects: readonly FuzzDefect[]
}

/** The script of a thread, and the time without a new input after which it counts as hung. */
export interface FuzzThread {
  readonly script: URL
  readonly hangMs: number
}

const fuzzThread: FuzzThread = {
  script: new URL('./fuzz-loop.ts', import.meta.url),
  hangMs: 30_000,
}

/**
 * Runs mutated inputs through one decoder in a thread with limited memory. A hung or crashed thread
 * is a defect of its current input.
 */
export async function runFuzz(run: FuzzRun, thread = fuzzThread): Promise<FuzzReport> {
  const progress = new Int32Array(new SharedArrayBuffer(12))
  Atomics.store(progress, progressPlaces.currentIndex, run.from)
  const startMs = performance.now()
  const { slowestMs, defects } = await runThread({ ...run, progress }, thread)
  return {
    target: run.decoder,
    seed: run.seed,
    inputCount: Atomics.load(progress, progressPlaces.currentIndex) + 1 - run.from,
    seconds: Math.round((performance.now() - startMs) / 100) / 10,
    slowestMs,
    acceptedCount: Atomics.load(progress, progressPlaces.acceptedCount),
    refusedCount: Atomics.load(progress, progressPlaces.refusedCount),
    defects,
  }
}

function runThread(
  task: FuzzTask,
  { script, hangMs }: FuzzThread,
): Promise<Pick<FuzzReport, 'slowestMs' | 'defects'>> {
  const worker = new Worker(script, {
    workerData: task,
    // The stack of the main thread has about one megabyte.
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, stackSizeMb: 1 },
  })
  const defects: FuzzDefect[] = []
  return new Promise(resolve => {
    let lastIndex = -1
    const end = (slowestMs: number): void => {
      clearInterval(watchdog)
      resolve({ slowestMs, defects })
    }
    const endWithDefect = (problem: string): void => {
      const index = Atomics.load(task.progress, progressPlaces.currentIndex)
      defects.push({ index, input: '', problem })
      void worker.terminate()
      end(0)
    }
    const watchdog = setInterval(() => {
      const index = Atomics.load(task.progress, progressPlaces.currentIndex)
      if (index === lastIndex) endWithDefect(`no result within ${hangMs} ms`)
      lastIndex = index
    }, hangMs)
    worker.on('error', thrown => endWithDefect(`the thread ended: ${String(thrown)}`))
    worker.on('message', (message: FuzzMessage) => {
      if (message.kind === 'defect') defects.push(message.defect)
      else end(message.slowestMs)
    })
  })
}
