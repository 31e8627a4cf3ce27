import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { DeployError, createError, messageOf } from '../../shared/errors/error.ts'
import { unpackStream } from '../../shared/providers/install/unpack-stream.ts'
import { createInvalidError, listMembers, manifestName } from './manifest.ts'

/** Limits of an unpacked export. */
const exportLimits = { filesMax: 1_000_000, bytesMax: 100_000_000_000 }

/** Reports whether a path names an archive. Any other path names a folder. */
const isArchivePath = (path: string): boolean => /\.(tar\.gz|tgz)$/.test(path)

/**
 * Runs `write` with a folder for the files of an export, and packs them if `path` names an archive.
 * Only the user of this process may read the files. Throws FILE_UNWRITABLE.
 */
export async function withExportFolder(
  path: string,
  write: (folder: string) => Promise<void>,
): Promise<void> {
  if (!isArchivePath(path)) {
    createFolder(path)
    return write(path)
  }
  const folder = mkdtempSync(join(tmpdir(), 'antichain-export-'))
  const partPath = `${path}.part`
  try {
    await write(folder)
    createPrivateFile(partPath)
    await create({ file: partPath, cwd: folder, gzip: true, portable: true }, [
      ...listMembers(folder),
      manifestName,
    ])
    renameSync(partPath, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmSync(partPath, { force: true })
  }
}

function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw createError('FILE_UNWRITABLE', `cannot create ${path}: ${messageOf(cause)}`, { cause })
  }
  if (listMembers(path).length > 0 || existsSync(join(path, manifestName)))
    throw createError('FILE_UNWRITABLE', `the folder ${path} is not empty`, {
      hint: 'Name a folder that is empty or does not exist.',
    })
}

function createPrivateFile(path: string): void {
  try {
    writeFileSync(path, '', { mode: 0o600 })
  } catch (cause) {
    throw createError('FILE_UNWRITABLE', `cannot write ${path}: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Runs `read` with the folder of an export. An archive is first unpacked to a temporary folder.
 * Throws FILE_UNREADABLE and EXPORT_INVALID.
 */
export async function withUnpackedExport<T>(
  path: string,
  read: (folder: string) => Promise<T>,
): Promise<T> {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status === undefined) throw createError('FILE_UNREADABLE', `${path} does not exist`)
  if (status.isDirectory()) return read(path)
  const folder = mkdtempSync(join(tmpdir(), 'antichain-import-'))
  try {
    const options = { targetFolder: folder, name: 'export', limits: exportLimits }
    await unpackStream(createReadStream(path), options).catch((cause: unknown) => {
      const isUnreadable = cause instanceof DeployError && cause.code === 'ARCHIVE_UNREADABLE'
      throw isUnreadable ? createInvalidError(`${path} is incomplete or no archive`) : cause
    })
    return await read(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
