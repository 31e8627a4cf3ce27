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
process.on('unhandledRejection', thrown => {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  parentPort?.postMessage(createBrokenReport(currentSeed, `unhandled error: ${text}`))
})
for (let seed = from; seed < endSeed; seed += every) {
  currentSeed = seed
  const report = await runSeed(seed, { shrinksFaults: true, ...platformOption })
  parentPort?.postMessage(report)
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
