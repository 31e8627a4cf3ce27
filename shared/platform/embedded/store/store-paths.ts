import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { limits } from '../../../config/limits.ts'
import { readUserId } from '../../system/system-user.ts'
import { createStoreUnavailableError } from './store-errors.ts'

/** The paths of the store. */
export interface StorePaths {
  readonly database: string
  readonly lock: string
  /** The file with the pid of the last owner, for messages and for the waits of other processes. */
  readonly pid: string
  readonly socket: string
}

/**
 * Creates the folders of the store, for this user only, and returns the paths of the store. Throws
 * STORE_UNAVAILABLE when a folder cannot be created, for example because the disk is full.
 */
export function prepareStore(home: string): StorePaths {
  const folder = join(home, 'store')
  try {
    if (makeFolders(folder)) {
      syncPath(home)
      syncPath(dirname(home))
    }
    const realFolder = realpathSync(folder)
    return {
      database: join(realFolder, 'antichain.db'),
      lock: join(realFolder, 'owner.lock'),
      pid: join(realFolder, 'owner.pid'),
      socket: chooseSocketPath(realFolder),
    }
  } catch (thrown) {
    throw createStoreUnavailableError(folder, thrown)
  }
}

/**
 * Creates a folder and its parents, one by one. Returns false when the folder exists. Node's
 * recursive mkdir is not used: it never returns where no folder can be created, such as below
 * /proc.
 */
function makeFolders(folder: string): boolean {
  if (existsSync(folder)) return false
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (thrown) {
    // Another process may have created the folder.
    if (existsSync(folder) && lstatSync(folder).isDirectory()) return false
    throw thrown
  }
}

/** Makes a file, or the entries of a folder, durable. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Returns the socket path: beside the database, or in a short private folder if that path is too
 * long.
 */
function chooseSocketPath(folder: string): string {
  const preferredPath = join(folder, 'socket')
  if (Buffer.byteLength(preferredPath) <= limits.socketPathBytesMax) return preferredPath
  const uid = readUserId()
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  const name = join(`antichain-${uid}`, hash)
  const shortPath = join(tmpdir(), name)
  const socket =
    Buffer.byteLength(shortPath) <= limits.socketPathBytesMax ? shortPath : join('/tmp', name)
  makePrivateFolder(dirname(socket), uid)
  return socket
}

/**
 * Creates a folder that only this user can use. Throws when the existing folder is not private: in
 * the folder for temporary files, another user may have created it.
 */
function makePrivateFolder(folder: string, uid: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  const isPrivate = stats.isDirectory() && (stats.mode & 0o077) === 0
  if (!isPrivate || (uid >= 0 && stats.uid !== uid)) {
    throw new Error(`${folder} is not a private folder of this user`)
  }
}
