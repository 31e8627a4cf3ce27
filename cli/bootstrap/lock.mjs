/** One preparation at a time: two commands at once must not install into one folder. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBootstrapFailure, printProgress } from './messages.mjs'

const pollMs = 250
const patienceMs = 15 * 60_000

/**
 * Takes the lock, a folder that names its holder's process, and answers how to give it back. Waits
 * for a living holder; takes over from a dead one.
 */
export async function takeLock(folder) {
  const beganMs = Date.now()
  let isReported = false
  while (!claim(folder)) {
    const holder = holderOf(folder)
    if (holder !== undefined && !isAlive(holder)) removeDead(folder, holder)
    else {
      if (!isReported)
        printProgress(`waiting for process ${holder ?? ''} that gets this folder ready`)
      isReported = true
      if (Date.now() - beganMs > patienceMs)
        throw createBootstrapFailure(
          `process ${holder} holds ${folder}`,
          'end it, or remove that folder',
        )
      await sleep(pollMs)
    }
  }
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * The folder comes into being together with the pid in it: a rename fails when there is one
 * already.
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

/** The pid in the lock; undefined when it was given back meanwhile. */
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
 * Moved away first, so that of two that found the holder dead one cannot remove the other's lock.
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
