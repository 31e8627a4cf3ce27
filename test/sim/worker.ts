import { parentPort, workerData } from 'node:worker_threads'
import { type SeedReport, runSeed } from './run-seed.ts'
import type { WorldPlatform } from './world.ts'

/** The input of a worker: every `every`-th seed from `from` on. */
export interface SeedShare {
  readonly from: number
  readonly until: number
  readonly every: number
  readonly platform?: WorldPlatform
}

const { from, until, every, ...on } = workerData as SeedShare
let current = from
process.on('unhandledRejection', thrown => {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  parentPort?.postMessage(createBrokenReport(current, `unhandled error: ${text}`))
})
for (let seed = from; seed < until; seed += every) {
  current = seed
  const report = await runSeed(seed, { isShrunk: true, ...on })
  parentPort?.postMessage(report)
}

function createBrokenReport(seed: number, violation: string): SeedReport {
  return {
    seed,
    violations: [violation],
    faults: [],
    lines: [],
    counts: new Map(),
    isUnknowable: false,
    deployments: 0,
    resources: 0,
    struck: 0,
  }
}
