/** Installs the packages of a folder and the project's own Node. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createNpmVariables, projectNode, root } from './paths.mjs'
import { createBootstrapFailure, printProgress, formatSecondsSince } from './messages.mjs'

/**
 * Reports whether the packages of a folder are missing or were installed from another lock file.
 */
export function needsInstall(folder) {
  const modules = join(folder, 'node_modules')
  // A linked folder belongs to another clone; an installation would empty it there.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  const stamp = stampPathOf(folder)
  return !existsSync(stamp) || readFileSync(stamp, 'utf8').trim() !== lockHashOf(folder)
}

/**
 * Installs exactly the packages of the lock file. The stamp is written last, so that a partial
 * installation is repeated.
 */
export function installPackages(folder, name) {
  printProgress(`installing the packages of ${name} (up to a minute)`)
  const startMs = Date.now()
  const hash = lockHashOf(folder)
  runNpm(folder, [
    'ci',
    '--include=dev',
    ...networkOptions,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ])
  writeFileSync(stampPathOf(folder), `${hash}\n`)
  printProgress(`installed the packages of ${name} in ${formatSecondsSince(startMs)}`)
}

/** Reports whether the project's Node is installed in the required version. */
export function hasProjectNode() {
  return (
    spawnSync(projectNode, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v24.') ?? false
  )
}

/**
 * Installs the binary of Node again. The install script of the package normally installs it, but
 * scripts may be disabled.
 */
export function repairProjectNode() {
  printProgress('setting up Node 24')
  runNpm(root, ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'])
  if (hasProjectNode()) return
  throw createBootstrapFailure(
    `npm did not install Node 24 at ${projectNode}`,
    `run \`npm install-scripts approve node\` and \`npm rebuild node\` in ${root}, and then this command again`,
  )
}

/**
 * The lock file identifies each package by its hash, so a package in npm's cache needs no request
 * to the registry. A stalled connection is aborted after one minute instead of five.
 */
const networkOptions = ['--prefer-offline', '--fetch-timeout=60000', '--fetch-retries=4']

const attemptsMax = 3
/**
 * The longest pause before the second attempt. This maximum doubles before each further attempt.
 */
const firstPauseMs = 1_000
/**
 * The time limit of one attempt of npm. An attempt that exceeds it has failed. The next attempt
 * finds the downloaded packages in the cache.
 */
const attemptTimeoutMs = 6 * 60_000

/** Runs npm, and retries after a growing pause. The commands are idempotent. */
function runNpm(folder, args, attempt = 1) {
  const result = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: createNpmVariables(),
    timeout: attemptTimeoutMs,
    killSignal: 'SIGKILL',
  })
  const isTimeout = result.error?.code === 'ETIMEDOUT'
  if (result.error !== undefined && !isTimeout)
    throw createBootstrapFailure(
      `cannot run npm: ${result.error.message}`,
      'install npm, which is part of Node',
    )
  if (result.status === 0) return
  // The exit status of npm does not tell the cause, such as an unreachable registry. So npm is
  // retried after every failure, unless a signal has killed it.
  if ((isTimeout || result.signal === null) && attempt < attemptsMax) {
    const pauseMs = Math.round(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    const failure = isTimeout ? `did not end within ${attemptTimeoutMs / 60_000} minutes` : 'failed'
    printProgress(
      `npm ${args[0]} ${failure} in ${folder}; retrying (attempt ${attempt + 1} of ${attemptsMax})`,
    )
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    return runNpm(folder, args, attempt + 1)
  }
  throw createBootstrapFailure(
    `npm ${args[0]} failed in ${folder}`,
    'read the messages of npm above; it needs the registry and free disk space',
  )
}

const stampPathOf = folder => join(folder, 'node_modules', '.antichain-stamp')

function lockHashOf(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}
