/**
 * `node seeds.ts N [aws]` runs the first N seeds of the simulation, on AWS if requested, until one
 * breaks a rule, and prints that rule. `runSuite` reads the printed rule.
 */
import { runSeed } from '../sim/run-seed.ts'

const exitBroken = (rule: string): never => {
  process.stdout.write(`broken rule: ${rule}\n`)
  process.exit(0)
}

process.on('unhandledRejection', thrown =>
  exitBroken(`unhandled error: ${String(thrown).split('\n')[0]}`),
)
const [, , seeds, platform] = process.argv
const count = Number(seeds)
const platformOption = platform === 'aws' ? ({ platform } as const) : {}
for (let seed = 1; seed <= count; seed += 1) {
  const [violation] = (await runSeed(seed, platformOption)).violations
  if (violation !== undefined)
    exitBroken(`seed ${seed}: ${violation.split('\n').slice(0, 2).join(' ')}`)
}
