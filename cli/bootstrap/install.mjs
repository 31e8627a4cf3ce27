/** Packages: whether a folder has those of its lock file, installing them, and our own Node. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createNpmVariables, ourNode, root } from './paths.mjs'
import { createBootstrapFailure, printProgress, elapsedSince } from './messages.mjs'

/** Whether a folder's packages are missing or were made from another lock file. */
export function needsInstall(folder) {
  const modules = join(folder, 'node_modules')
  // A linked folder belongs to another clone: installing would empty it there.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  const stamp = stampOf(folder)
  return !existsSync(stamp) || readFileSync(stamp, 'utf8').trim() !== lockHashOf(folder)
}

/**
 * Installs exactly what the lock file says; the stamp comes last, so that half an install is none.
 */
export function installPackages(folder, name) {
  printProgress(`installing the packages of ${name} (up to a minute)`)
  const beganMs = Date.now()
  const hash = lockHashOf(folder)
  runNpm(folder, ['ci', '--include=dev', ...quick, '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stampOf(folder), `${hash}\n`)
  printProgress(`installed the packages of ${name} in ${elapsedSince(beganMs)}`)
}

/** Whether our Node is there and is the one that everything of ours needs. */
export function hasOurNode() {
  return spawnSync(ourNode, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v24.') ?? false
}

/** The package's install script puts the binary there: it may have been switched off. */
export function repairOurNode() {
  printProgress('setting up Node 24')
  runNpm(root, ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'])
  if (hasOurNode()) return
  throw createBootstrapFailure(
    `npm did not set up Node 24 at ${ourNode}`,
    `run \`npm install-scripts approve node\` and \`npm rebuild node\` in ${root}, then this again`,
  )
}

/**
 * The lock file names each package by its hash, so one from npm's cache needs no question to the
 * registry; and a connection that stands still is given up after a minute instead of after five.
 */
const quick = ['--prefer-offline', '--fetch-timeout=60000', '--fetch-retries=4']

/**
 * How often npm is run before its failure counts, and the longest pause before the second time. A
 * run that does not end is a failure too; the next one finds in the cache what it had fetched.
 */
const triesMax = 3
const firstPauseMs = 1_000
const tryMs = 6 * 60_000

/** Runs npm, and again after a pause that grows: what it does may be repeated. */
function runNpm(folder, args, number = 1) {
  const done = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: createNpmVariables(),
    timeout: tryMs,
    killSignal: 'SIGKILL',
  })
  const late = done.error?.code === 'ETIMEDOUT'
  if (done.error !== undefined && !late)
    throw createBootstrapFailure(
      `npm cannot be run: ${done.error.message}`,
      'install npm, it comes with Node',
    )
  if (done.status === 0) return
  // A registry may be out of reach for a moment; npm does not say by its status what it was.
  if ((late || done.signal === null) && number < triesMax) {
    const pauseMs = Math.round(firstPauseMs * 2 ** (number - 1) * (0.5 + Math.random() / 2))
    const what = late ? `did not end within ${tryMs / 60_000} minutes` : 'failed'
    printProgress(
      `npm ${args[0]} ${what} in ${folder}; it is tried again (${number + 1} of ${triesMax})`,
    )
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    return runNpm(folder, args, number + 1)
  }
  throw createBootstrapFailure(
    `npm ${args[0]} failed in ${folder}`,
    'read its messages above; it needs the registry and room on the disk',
  )
}

const stampOf = folder => join(folder, 'node_modules', '.antichain-stamp')

function lockHashOf(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}
