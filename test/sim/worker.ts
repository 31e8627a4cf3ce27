import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type SeedReport, runSeed } from './run-seed.ts'
import type { WorldPlatform } from './world.ts'

/** The input of a worker: every `every`-th seed from `from` on, and before `endSeed`. */
export interface SeedShare {
  readonly from: number
  readonly endSeed: number
  readonly every: number
  readonly platform?: WorldPlatform
}

const { from, endSeed, every, ...platformOption } = workerData as SeedShare
let currentSeed = from
let isReported = false
/** Posts the first report of the current seed. A run may continue after an unhandled rejection. */
const postFirstReport = (report: SeedReport): void => {
  if (!isReported) parentPort?.postMessage(report)
  isReported = true
}
process.on('unhandledRejection', thrown => {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  postFirstReport(createBrokenReport(currentSeed, `unhandled error: ${text}`))
})
for (let seed = from; seed < endSeed; seed += every) {
  currentSeed = seed
  isReported = false
  const report = await runSeed(seed, { shrinksFaults: true, ...platformOption })
  // Node reports the unhandled rejections of this seed before the next turn of the event loop.
  await setImmediate()
  postFirstReport(report)
}

function createBrokenReport(seed: number, violation: string): SeedReport {
  return {
    seed,
    violations: [violation],
    faults: [],
    lines: [],
    counts: new Map(),
    hasUnknownCreate: false,
    deployments: 0,
    resources: 0,
    faultCount: 0,
  }
}
