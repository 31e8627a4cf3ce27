// Runs the golden cases of a tier against cli/antichain and compares the result with the list of
// cases that do not pass yet. An unlisted case that fails, or a listed one that passes, fails the
// run. ANTICHAIN_TIER: readme (the short list), full (all others of cases/), nightly (those of
// more/), all (cases/).
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const goldenFolder = dirname(fileURLToPath(import.meta.url))
const root = resolve(goldenFolder, '../..')
const pendingCases = new Set(JSON.parse(readFileSync(join(goldenFolder, 'pending.json'), 'utf8')))
const firstTier = new Set(JSON.parse(readFileSync(join(goldenFolder, 'first-tier.json'), 'utf8')))
const tier = process.env.ANTICHAIN_TIER ?? 'all'
const namesIn = folder => readdirSync(join(goldenFolder, folder)).sort()
const [cases, nightlyCases] = [namesIn('cases'), namesIn('more')]
const folder = tier === 'nightly' ? 'more' : 'cases'
const selectedCases =
  tier === 'nightly'
    ? nightlyCases
    : cases.filter(name => tier === 'all' || (tier === 'readme') === firstTier.has(name))
const jobs = process.env.ANTICHAIN_GOLDEN_JOBS ?? '3'

for (const name of [...pendingCases, ...firstTier])
  if (!cases.includes(name) && !nightlyCases.includes(name))
    throw new Error(`the golden list names '${name}', which is not a case`)

const args = [
  join(goldenFolder, 'run.mjs'),
  '--strict',
  ...['--cli', join(root, 'cli/antichain'), '--cases', join(goldenFolder, folder)],
  ...[
    '--node-modules',
    join(root, 'test/fixtures/sdk/node_modules'),
    '--jobs',
    jobs,
    '--only',
    selectedCases.join(','),
  ],
]
const nodeFolder = join(root, 'node_modules/node/bin')
const env = {
  ...process.env,
  PATH: `${nodeFolder}:${process.env.PATH}`,
  GOLD_NODE: join(nodeFolder, 'node'),
}
const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
const results = new Map()
let text = ''
let details = []
const problems = []
child.stdout.setEncoding('utf8')
child.stdout.on('data', chunk => {
  text += chunk
  const lines = text.split('\n')
  text = lines.pop() ?? ''
  for (const line of lines) readLine(line)
})

function readLine(line) {
  const match = /^(pass|FAIL|skipped) ([\w-]+)/.exec(line)
  if (match === null) {
    details.push(line)
    return
  }
  const [, verdict, name] = match
  details = []
  results.set(name, verdict)
  if (verdict === 'FAIL') problems.push([name, details])
}

child.on('close', () => {
  const failures = []
  for (const name of selectedCases) {
    const verdict = results.get(name)
    if (verdict === 'pass' && pendingCases.has(name))
      failures.push(`${name} passes now: remove it from test/golden/pending.json`)
    else if (verdict !== 'pass' && !pendingCases.has(name)) failures.push(`${name} fails`)
  }
  for (const [name, lines] of problems)
    if (!pendingCases.has(name) || process.env.GOLD_SHOW)
      console.log(`FAIL ${name}\n${lines.slice(0, 12).join('\n')}`)
  for (const line of failures) console.log(line)
  const pendingCount = selectedCases.filter(
    name => pendingCases.has(name) && results.get(name) !== 'pass',
  ).length
  console.log(`golden: ${pendingCount} of ${selectedCases.length} are listed as not passing yet`)
  console.log(
    `${selectedCases.length - pendingCount - failures.length} passed, ${failures.length} failed`,
  )
  process.exitCode = failures.length === 0 ? 0 : 1
})
