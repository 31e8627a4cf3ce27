// Gets a clone ready and then does what was asked: start, test, check, gen, test:full, nightly, bench.
// Plain JavaScript without dependencies: it runs on whatever Node the machine has, from 20 on, and
// everything after it runs on the Node that it installs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const ourBin = join(root, 'node_modules', 'node', 'bin')
const ourNode = join(ourBin, 'node')
const lockFolder = join(root, '.cache', 'bootstrap.lock')
const demoPassphrase = 'antichain-quickstart'

const [command = 'help', ...rest] = process.argv.slice(2)
const commands = { start, test: () => tier('readme'), 'test:full': () => tier('full'), nightly: () => tier('nightly') }
Object.assign(commands, { check, gen: () => prepare([]), bench })

requireNode()
const run = commands[command]
if (run === undefined) fail(`'${command}' is not one of ${Object.keys(commands).join(', ')}`)
process.exitCode = await run()

function say(text) {
  console.error(`· ${text}`)
}

function fail(text, hint = '') {
  console.error(`error: ${text}`)
  if (hint !== '') console.error(`  what to do: ${hint}`)
  process.exit(1)
}

function requireNode() {
  if (Number(process.versions.node.split('.')[0]) >= 20) return
  fail(`Node ${process.versions.node} is too old`, 'install Node 20 or later; antichain brings its own Node 24 then')
}

/** Installs and generates what is stale; `folders` are program folders with a lock file of their own. */
async function prepare(folders) {
  const release = takeLock()
  try {
    install(root, 'antichain')
    requireOurNode()
    const { generate } = await import('./gen.mjs')
    await generate({ say })
    for (const folder of folders) install(join(root, folder), folder)
  } finally {
    release()
  }
  return 0
}

/** Two commands at once must not install into one folder. */
function takeLock() {
  mkdirSync(dirname(lockFolder), { recursive: true })
  for (let tries = 0; tries < 3000; tries++) {
    try {
      mkdirSync(lockFolder)
      writeFileSync(join(lockFolder, 'pid'), String(process.pid))
      return () => rmSync(lockFolder, { recursive: true, force: true })
    } catch (thrown) {
      if (thrown.code !== 'EEXIST') throw thrown
      if (isAbandoned()) rmSync(lockFolder, { recursive: true, force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  fail('another bootstrap is still running', `end it, or remove ${lockFolder}`)
}

function isAbandoned() {
  try {
    const pid = Number(readFileSync(join(lockFolder, 'pid'), 'utf8'))
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    // Without a pid the lock was made a moment ago, or its maker died right then.
    return thrown.code === 'ESRCH' || (thrown.code === 'ENOENT' && isOlderThan(lockFolder, 5_000))
  }
}

function isOlderThan(path, ms) {
  try {
    return Date.now() - statSync(path).mtimeMs > ms
  } catch {
    return false
  }
}

/** Installs a folder's packages when they are missing or were made from another lock file. */
function install(folder, name) {
  const lock = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json'))).digest('hex')
  const stamp = join(folder, 'node_modules', '.antichain-stamp')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  say(`installing packages of ${name}`)
  const began = Date.now()
  // Not `npm ci`: it refuses a lock file made where the registry lacks packages for other platforms.
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const done = spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env: quietEnv() })
  if (done.status !== 0) fail(`npm install failed in ${folder}`, 'look at its messages above; the registry must be reachable')
  writeFileSync(stamp, lock)
  say(`installed in ${seconds(began)}`)
}

/** Settings of an npm that runs us must not reach the one that we run. */
function quietEnv() {
  const kept = Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key))
  return { ...Object.fromEntries(kept), npm_config_update_notifier: 'false' }
}

function requireOurNode() {
  if (ourNodeVersion().startsWith('v24.')) return
  say('setting up Node 24')
  spawnSync('npm', ['rebuild', 'node', '--loglevel=error'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: quietEnv() })
  if (ourNodeVersion().startsWith('v24.')) return
  fail('the Node 24 that npm brings is missing', 'run `npm install-scripts approve node` and `npm rebuild node`, then this command again')
}

function ourNodeVersion() {
  return existsSync(ourNode) ? spawnSync(ourNode, ['--version'], { encoding: 'utf8' }).stdout.trim() : ''
}

function seconds(began) {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`
}

/** Our Node first; the PATH of the person is kept for programs. */
function ourEnv(more = {}) {
  const path = process.env.PATH ?? ''
  return { ...process.env, ANTICHAIN_USER_PATH: process.env.ANTICHAIN_USER_PATH ?? path, PATH: `${ourBin}${delimiter}${path}`, ...more }
}

function exec(file, words, options = {}) {
  const done = spawnSync(file, words, { cwd: root, stdio: 'inherit', env: ourEnv(), ...options })
  return done.status ?? 1
}

async function start() {
  await prepare(['examples/quickstart'])
  const antichain = join(root, 'cli', 'antichain')
  const isSet = 'PULUMI_CONFIG_PASSPHRASE' in process.env || 'PULUMI_CONFIG_PASSPHRASE_FILE' in process.env
  const env = { ...process.env, ...(isSet ? {} : { PULUMI_CONFIG_PASSPHRASE: demoPassphrase }) }
  if (!isSet) say(`the quickstart's secrets are sealed under the passphrase '${demoPassphrase}'`)
  const at = ['-C', join(root, 'examples', 'quickstart')]
  const selected = spawnSync(antichain, [...at, 'stack', 'select', '--create', 'dev'], { env, stdio: ['inherit', 'ignore', 'inherit'] })
  if (selected.status !== 0) return selected.status ?? 1
  const [word, ...more] = rest
  const words = word === undefined || word.startsWith('-') ? ['up', '--yes', '--skip-preview', ...rest] : word === 'destroy' ? ['destroy', '--yes', '--skip-preview', ...more] : rest
  return spawnSync(antichain, [...at, ...words], { env, stdio: 'inherit' }).status ?? 1
}

/** One tier of tests; prints `N passed, N failed` over all of them. */
async function tier(name) {
  await prepare(['test/fixtures/sdk', 'examples/quickstart'])
  const env = ourEnv({ ANTICHAIN_TIER: name })
  const report = join(root, '.cache', `vitest-${name}.json`)
  rmSync(report, { force: true })
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const unit = exec(ourNode, [vitest, 'run', '--passWithNoTests', ...reporters, ...rest], { env })
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
  let passed = counts.numPassedTests
  let failed = counts.numFailedTests + (unit === 0 || counts.numFailedTests > 0 ? 0 : 1)
  const skipped = counts.numPendingTests
  if (rest.length === 0 && name !== 'nightly') {
    const golden = spawnSync(ourNode, [join(root, 'test', 'golden', 'run-tier.mjs')], { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 })
    process.stdout.write(golden.stdout)
    const [, good = '0', bad = '0'] = /(\d+) passed, (\d+) failed\s*$/.exec(golden.stdout) ?? []
    passed += Number(good)
    failed += Number(bad) + (golden.status !== 0 && bad === '0' ? 1 : 0)
  }
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed === 0 ? 0 : 1
}

async function check() {
  await prepare([])
  const bin = name => join(root, 'node_modules', '.bin', name)
  const checks = [
    ['format', bin('biome'), ['format', '.']],
    ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
    ['types', bin('tsc'), ['-p', '.']],
    ['dead code', bin('knip'), []],
    ['house rules', ourNode, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'house']],
  ]
  const bad = []
  for (const [name, file, words] of checks) {
    const began = Date.now()
    const status = exec(file, words)
    say(`${name}: ${status === 0 ? 'good' : 'NOT GOOD'} (${seconds(began)})`)
    if (status !== 0) bad.push(name)
  }
  if (bad.length > 0) console.error(`error: ${bad.join(', ')} not good`)
  return bad.length === 0 ? 0 : 1
}

async function bench() {
  await prepare(['test/fixtures/sdk', 'examples/quickstart'])
  return exec(ourNode, [join(root, 'bench', 'main.ts'), ...rest])
}
