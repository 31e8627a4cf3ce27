/**
 * Allows one preparation at a time, because two concurrent commands must not install into the same
 * folder.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBootstrapFailure, printProgress } from './messages.mjs'

const pollMs = 250
const patienceMs = 15 * 60_000

/**
 * Takes the lock, a folder that contains the pid of its holder, and returns the function that
 * releases it. Waits for a living holder, and takes over from a dead one.
 */
export async function takeLock(folder) {
  const beganMs = Date.now()
  let isReported = false
  while (!claim(folder)) {
    const holder = holderOf(folder)
    if (holder !== undefined && !isAlive(holder)) removeDead(folder, holder)
    else {
      if (!isReported)
        printProgress(`waiting for process ${holder ?? ''}, which is preparing this folder`)
      isReported = true
      if (Date.now() - beganMs > patienceMs)
        throw createBootstrapFailure(
          `process ${holder} holds ${folder}`,
          'end that process, or remove that folder',
        )
      await sleep(pollMs)
    }
  }
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * The folder appears together with the pid in it. The rename fails if the folder already exists.
 */
function claim(folder) {
  const mine = `${folder}.${process.pid}`
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(mine, { recursive: true, force: true })
  mkdirSync(mine)
  writeFileSync(join(mine, 'pid'), String(process.pid))
  try {
    renameSync(mine, folder)
    return true
  } catch (thrown) {
    rmSync(mine, { recursive: true, force: true })
    if (thrown.code === 'ENOTEMPTY' || thrown.code === 'EEXIST') return false
    throw thrown
  }
}

/** Returns the pid in the lock, or undefined if the lock was released meanwhile. */
function holderOf(folder) {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return thrown.code !== 'ESRCH'
  }
}

/**
 * The folder is moved away first. Of two processes that found the holder dead, neither can remove
 * the other's lock.
 */
function removeDead(folder, holder) {
  const aside = `${folder}.dead.${process.pid}`
  try {
    renameSync(folder, aside)
    if (holderOf(aside) === holder) rmSync(aside, { recursive: true, force: true })
    else renameSync(aside, folder)
  } catch (thrown) {
    if (thrown.code !== 'ENOENT') throw thrown
  }
}
