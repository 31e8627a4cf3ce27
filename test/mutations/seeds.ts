/**
 * `node seeds.ts N [aws]` runs the seeds 1 to N of the simulation, with `aws` on models of the AWS
 * services. It prints the first violation or unhandled error as `broken rule: ...` and exits with
 * 0, as without a violation. By this line run-suite.ts distinguishes a violation from a run that
 * failed.
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
