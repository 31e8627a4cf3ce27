/**
 * Prepares a clone: packages, Node, generated protobuf code, the bundle of the command line, the
 * dashboard, and packages of program folders.
 */
import { join } from 'node:path'
import { generateProtobuf, isStale } from '../gen.mjs'
import { bundle, isBundled } from './bundle.mjs'
import { buildDashboard, isDashboardBuilt } from './dashboard.mjs'
import { hasProjectNode, installPackages, needsInstall, repairProjectNode } from './install.mjs'
import { acquireFolderLock } from './lock.mjs'
import { root } from './paths.mjs'
import { createBootstrapFailure, printProgress, formatSecondsSince } from './messages.mjs'

/** Runs the steps whose results are missing or outdated. `folders`: program folders. */
export async function prepare(folders = []) {
  if (isReady(folders)) return
  const release = await acquireFolderLock(join(root, '.cache', 'bootstrap.lock'))
  try {
    if (needsInstall(root)) installPackages(root, 'antichain')
    if (!hasProjectNode()) repairProjectNode()
    if (isStale(root)) generateCode()
    if (!isBundled()) await tryToBundle()
    if (!isDashboardBuilt()) tryToBuildDashboard()
    for (const folder of folders)
      if (needsInstall(join(root, folder))) installPackages(join(root, folder), folder)
  } finally {
    release()
  }
}

function isReady(folders) {
  const hasMissingPackages = [root, ...folders.map(folder => join(root, folder))].some(needsInstall)
  const isBuilt = !isStale(root) && isBundled() && isDashboardBuilt()
  return !hasMissingPackages && hasProjectNode() && isBuilt
}

/** Builds the bundle. A failure is only reported, because commands can start from the sources. */
async function tryToBundle() {
  try {
    await bundle()
  } catch (thrown) {
    printProgress(`${thrown.message}; the command starts from its sources instead`)
  }
}

/** Builds the dashboard. A failure is only reported, because every command works without it. */
function tryToBuildDashboard() {
  try {
    buildDashboard()
  } catch (thrown) {
    printProgress(`${thrown.message}\n  hint: ${thrown.hint}`)
    printProgress('`antichain serve` has no dashboard until it is built')
  }
}

/** Generates the protobuf code, even if it is up to date. */
export function generateCode() {
  const startMs = Date.now()
  try {
    generateProtobuf({ folder: root, force: true, onProgress: printProgress })
  } catch (thrown) {
    throw createBootstrapFailure(
      `cannot generate the protobuf code: ${thrown.message}`,
      'read the messages above; if buf or ts-proto is broken, run `npm ci` to reinstall it',
    )
  }
  printProgress(`generated in ${formatSecondsSince(startMs)}`)
}
