/**
 * Runs the cases of a tier against cli/antichain, and compares the results with the list of cases
 * that do not pass yet. An unlisted case that fails, or a listed one that passes, fails the run.
 * ANTICHAIN_TIER: readme (the short list), full (all others), all. The cases need Go. Without it
 * they are skipped, and with CI set they fail.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isTruthy } from '../../shared/config/truthy.ts'

const folder = import.meta.dirname
const readList = file => new Set(JSON.parse(readFileSync(join(folder, file), 'utf8')))
const [pendingCases, firstTier] = [readList('pending.json'), readList('first-tier.json')]
const tier = process.env.ANTICHAIN_TIER ?? 'all'
const jobs = process.env.ANTICHAIN_GOLDEN_JOBS ?? '2'
const cases = readdirSync(join(folder, 'cases')).sort()

for (const name of [...pendingCases, ...firstTier])
  if (!cases.includes(name)) throw new Error(`the list names '${name}', which is not a case`)

const selectedCases = cases.filter(
  name => tier === 'all' || (tier === 'readme') === firstTier.has(name),
)

if (spawnSync('go', ['version']).status === 0) reportResults(await runCases())
else reportMissingGo()

/** Runs the selected cases. Returns the verdict and the lines of each. */
function runCases() {
  const args = [join(folder, 'run.mjs'), '--jobs', jobs, '--only', selectedCases.join(',')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const results = new Map()
  let details = []
  createInterface({ input: child.stdout }).on('line', line => {
    const [, verdict, name] = /^(pass|FAIL|skipped) ([\w-]+)/.exec(line) ?? []
    if (verdict === undefined) details.push(line)
    else {
      details = [line]
      results.set(name, { verdict, details })
    }
  })
  return new Promise(resolve => {
    child.on('close', () => resolve(results))
  })
}

/** Prints the failures and the counts. A case without a result has failed. */
function reportResults(results) {
  const failures = []
  const counts = { pending: 0, skipped: 0 }
  for (const name of selectedCases) {
    const { verdict = 'FAIL' } = results.get(name) ?? {}
    const isPending = pendingCases.has(name)
    if (isPending && verdict === 'pass')
      failures.push(`${name} passes now: remove it from test/tfgolden/pending.json`)
    else if (isPending) counts.pending += 1
    else if (verdict === 'skipped') counts.skipped += 1
    else if (verdict === 'FAIL') failures.push(`${name} fails`)
  }
  for (const [name, { verdict, details }] of results)
    if (verdict === 'FAIL' && (!pendingCases.has(name) || process.env.GOLD_SHOW))
      console.log(details.slice(0, 12).join('\n'))
  for (const line of failures) console.log(line)
  const total = selectedCases.length
  const passed = total - failures.length - counts.pending - counts.skipped
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
  console.log(`tfgolden: ${counts.pending} of ${total} are listed as not passing yet`)
  console.log(`${passed} passed, ${failures.length} failed${skipped}`)
  process.exitCode = failures.length === 0 ? 0 : 1
}

/** Without Go there is no provider. The cases are skipped on a machine of a developer only. */
function reportMissingGo() {
  const count = selectedCases.length
  if (isTruthy(process.env.CI)) {
    console.log(
      `without Go, each of the ${count} cases of Terraform providers fails\n0 passed, ${count} failed`,
    )
    process.exitCode = 1
  } else
    console.log(
      `SKIPPED: cases of Terraform providers: no go\n0 passed, 0 failed, ${count} skipped`,
    )
}
