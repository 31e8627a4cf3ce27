// Runs the golden cases of a tier against cli/antichain and compares the result with the list of
// cases that do not pass yet. An unlisted case that fails, or a listed one that passes, fails the
// run. ANTICHAIN_TIER: readme (the short list), full (all others of cases/), nightly (those of
// more/), all (cases/).
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
const pending = new Set(JSON.parse(readFileSync(join(here, 'pending.json'), 'utf8')))
const readme = new Set(JSON.parse(readFileSync(join(here, 'readme-tier.json'), 'utf8')))
const tier = process.env.ANTICHAIN_TIER ?? 'all'
const namesIn = folder => readdirSync(join(here, folder)).sort()
const [cases, more] = [namesIn('cases'), namesIn('more')]
const folder = tier === 'nightly' ? 'more' : 'cases'
const chosen =
  tier === 'nightly'
    ? more
    : cases.filter(name => tier === 'all' || (tier === 'readme') === readme.has(name))
const jobs = process.env.ANTICHAIN_GOLDEN_JOBS ?? '3'

for (const name of [...pending, ...readme])
  if (!cases.includes(name) && !more.includes(name))
    throw new Error(`the golden list names '${name}', which is not a case`)

const args = [
  join(here, 'run.mjs'),
  '--strict',
  ...['--cli', join(root, 'cli/antichain'), '--cases', join(here, folder)],
  ...[
    '--node-modules',
    join(root, 'test/fixtures/sdk/node_modules'),
    '--jobs',
    jobs,
    '--only',
    chosen.join(','),
  ],
]
const ourNode = join(root, 'node_modules/node/bin')
const env = {
  ...process.env,
  PATH: `${ourNode}:${process.env.PATH}`,
  GOLD_NODE: join(ourNode, 'node'),
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
  const bad = []
  for (const name of chosen) {
    const verdict = results.get(name)
    if (verdict === 'pass' && pending.has(name))
      bad.push(`${name} passes now: remove it from test/golden/pending.json`)
    else if (verdict !== 'pass' && !pending.has(name)) bad.push(`${name} fails`)
  }
  for (const [name, lines] of problems)
    if (!pending.has(name) || process.env.GOLD_SHOW)
      console.log(`FAIL ${name}\n${lines.slice(0, 12).join('\n')}`)
  for (const line of bad) console.log(line)
  const listed = chosen.filter(name => pending.has(name) && results.get(name) !== 'pass').length
  console.log(`golden: ${listed} of ${chosen.length} are listed as not passing yet`)
  console.log(`${chosen.length - listed - bad.length} passed, ${bad.length} failed`)
  process.exitCode = bad.length === 0 ? 0 : 1
})
