/**
 * Allows one preparation at a time, because two concurrent commands must not install into the same
 * folder.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBootstrapFailure, printProgress } from './messages.mjs'

const pollMs = 250
const lockTimeoutMs = 15 * 60_000

/**
 * Acquires the lock, a folder that contains the pid of its holder, and returns the function that
 * releases it. Waits for a living holder up to `lockTimeoutMs`, and removes the lock of a dead one.
 */
export async function acquireFolderLock(folder) {
  const startMs = Date.now()
  let isReported = false
  while (!tryAcquire(folder)) {
    const holderPid = readHolderPid(folder)
    if (holderPid !== undefined && !isAlive(holderPid)) removeDeadLock(folder, holderPid)
    else {
      if (!isReported)
        printProgress(`waiting for process ${holderPid ?? ''}, which is preparing this folder`)
      isReported = true
      if (Date.now() - startMs > lockTimeoutMs)
        throw createBootstrapFailure(
          `process ${holderPid} holds ${folder}`,
          'end that process, or remove that folder',
        )
      await sleep(pollMs)
    }
  }
  return () => releaseLock(folder)
}

/**
 * Acquires the lock if it is free, and reports whether it was. The rename creates the folder
 * together with the pid in it, and fails if the folder already exists.
 */
function tryAcquire(folder) {
  const ownFolder = `${folder}.${process.pid}`
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(ownFolder, { recursive: true, force: true })
  mkdirSync(ownFolder)
  writeFileSync(join(ownFolder, 'pid'), String(process.pid))
  try {
    renameSync(ownFolder, folder)
    return true
  } catch (thrown) {
    rmSync(ownFolder, { recursive: true, force: true })
    if (thrown.code === 'ENOTEMPTY' || thrown.code === 'EEXIST') return false
    throw thrown
  }
}

/**
 * Releases the lock. The folder is moved away first, because another process could acquire a folder
 * whose file is removed already.
 */
function releaseLock(folder) {
  const movedFolder = `${folder}.released.${process.pid}`
  rmSync(movedFolder, { recursive: true, force: true })
  try {
    renameSync(folder, movedFolder)
  } catch (thrown) {
    if (thrown.code !== 'ENOENT') throw thrown
  }
  rmSync(movedFolder, { recursive: true, force: true })
}

/** Returns the pid in the lock, or undefined if the lock was released meanwhile. */
function readHolderPid(folder) {
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
 * Removes the lock of a dead holder. The folder is moved away first. If another process has
 * acquired the lock meanwhile, its folder is moved back.
 */
function removeDeadLock(folder, holderPid) {
  const movedFolder = `${folder}.dead.${process.pid}`
  try {
    renameSync(folder, movedFolder)
    if (readHolderPid(movedFolder) === holderPid)
      rmSync(movedFolder, { recursive: true, force: true })
    else renameSync(movedFolder, folder)
  } catch (thrown) {
    if (thrown.code !== 'ENOENT') throw thrown
  }
}
