/**
 * Builds the dashboard into .cache/dashboard, from which `antichain serve` serves it. The build
 * runs on the project's Node, because vite needs a newer version than the bootstrap.
 */
import { existsSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { createBootstrapFailure, formatSecondsSince, printProgress } from './messages.mjs'
import { isUpToDate } from './newer-sources.mjs'
import { projectNode, root } from './paths.mjs'

const folder = join(root, '.cache', 'dashboard')
const sourceFolder = join(root, 'dashboard')
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')

/** Reports whether the dashboard is built and not older than its sources. */
export function isDashboardBuilt() {
  return isUpToDate({
    file: join(folder, 'index.html'),
    settingFiles: ['package-lock.json', 'cli/bootstrap/dashboard.mjs'],
    sourceFolders: ['dashboard'],
    sourcePattern: /\.(ts|tsx|css|html|svg|json)$/,
  })
}

/**
 * Builds the dashboard in a folder beside its final one, and then replaces the earlier build. A
 * failed build leaves the earlier one as it was.
 */
export function buildDashboard() {
  const startMs = Date.now()
  const nextFolder = `${folder}.next.${process.pid}`
  const result = spawnSync(
    projectNode,
    [vite, 'build', sourceFolder, '--outDir', nextFolder, '--emptyOutDir', '--logLevel', 'error'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    },
  )
  if (result.status !== 0) {
    rmSync(nextFolder, { recursive: true, force: true })
    const reason = result.error?.message ?? reasonOf(result.stderr, result.status)
    throw createBootstrapFailure(
      `cannot build the dashboard: ${reason}`,
      'read the message above; if vite is broken, run `npm ci` to reinstall it',
    )
  }
  // A source that is saved during the build may be missing from it, and then counts as newer.
  utimesSync(join(nextFolder, 'index.html'), startMs / 1_000, startMs / 1_000)
  replaceFolder(nextFolder)
  printProgress(`built the dashboard in ${formatSecondsSince(startMs)}`)
}

/** Returns the error of vite without colors and stack trace. */
function reasonOf(errors, status) {
  const text = stripVTControlCharacters(errors)
    .split(/\n +at /)[0]
    .trim()
  return text === '' ? `vite ended with ${status}` : text
}

/** Replaces the earlier build. A server that starts meanwhile finds either build, or none. */
function replaceFolder(nextFolder) {
  const previousFolder = `${folder}.previous.${process.pid}`
  if (existsSync(folder)) renameSync(folder, previousFolder)
  renameSync(nextFolder, folder)
  rmSync(previousFolder, { recursive: true, force: true })
}
