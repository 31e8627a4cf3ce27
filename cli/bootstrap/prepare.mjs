/**
 * Makes a clone ready: packages, our Node, generated protobuf code, the bundle of the command line,
 * packages of program folders.
 */
import { join } from 'node:path'
import { generateProtobuf, isStale } from '../gen.mjs'
import { bundle, isBundled } from './bundle.mjs'
import { hasOurNode, installPackages, needsInstall, repairOurNode } from './install.mjs'
import { takeLock } from './lock.mjs'
import { root } from './paths.mjs'
import { createBootstrapFailure, printProgress, elapsedSince } from './messages.mjs'

/**
 * Does what is missing and nothing else. `folders` are program folders, relative to the project.
 */
export async function prepare(folders = []) {
  if (isReady(folders)) return
  const release = await takeLock(join(root, '.cache', 'bootstrap.lock'))
  try {
    if (needsInstall(root)) installPackages(root, 'antichain')
    if (!hasOurNode()) repairOurNode()
    if (isStale(root)) generateCode()
    if (!isBundled()) await tryToBundle()
    for (const folder of folders)
      if (needsInstall(join(root, folder))) installPackages(join(root, folder), folder)
  } finally {
    release()
  }
}

function isReady(folders) {
  const stale = [root, ...folders.map(folder => join(root, folder))].some(needsInstall)
  return !stale && hasOurNode() && !isStale(root) && isBundled()
}

/** Without a bundle the command starts from its sources: slower, and as well. */
async function tryToBundle() {
  try {
    await bundle()
  } catch (thrown) {
    printProgress(`${thrown.message}; the command starts from its sources`)
  }
}

/** Generates the protobuf code, whether it is stale or not. */
export function generateCode() {
  const beganMs = Date.now()
  try {
    generateProtobuf({ folder: root, force: true, say: printProgress })
  } catch (thrown) {
    throw createBootstrapFailure(
      `generating protobuf code failed: ${thrown.message}`,
      'read the messages above; `npm ci` brings buf and ts-proto back if they are broken',
    )
  }
  printProgress(`generated in ${elapsedSince(beganMs)}`)
}
