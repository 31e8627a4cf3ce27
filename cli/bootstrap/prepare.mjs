/**
 * Makes a clone ready: packages, our Node, generated protobuf code, the bundle of the command line,
 * packages of program folders.
 */
import { join } from 'node:path'
import { generate, isStale } from '../gen.mjs'
import { bundle, isBundled } from './bundle.mjs'
import { hasOurNode, install, needsInstall, repairOurNode } from './install.mjs'
import { takeLock } from './lock.mjs'
import { root } from './places.mjs'
import { failure, say, since } from './saying.mjs'

/**
 * Does what is missing and nothing else. `folders` are program folders, relative to the project.
 */
export async function prepare(folders = []) {
  if (isReady(folders)) return
  const release = await takeLock(join(root, '.cache', 'bootstrap.lock'))
  try {
    if (needsInstall(root)) install(root, 'antichain')
    if (!hasOurNode()) repairOurNode()
    if (isStale(root)) makeCode()
    if (!isBundled()) await tryToBundle()
    for (const folder of folders)
      if (needsInstall(join(root, folder))) install(join(root, folder), folder)
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
    say(`${thrown.message}; the command starts from its sources`)
  }
}

/** Generates the protobuf code, whether it is stale or not. */
export function makeCode() {
  const beganMs = Date.now()
  try {
    generate({ folder: root, force: true, say })
  } catch (thrown) {
    throw failure(
      `generating protobuf code failed: ${thrown.message}`,
      'read the messages above; `npm ci` brings buf and ts-proto back if they are broken',
    )
  }
  say(`generated in ${since(beganMs)}`)
}
