import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobsPort } from '../../ports/records.ts'
import type { BlobHash } from '../../records/ids.ts'
import { unpackArchive } from './unpack-archive.ts'

/** The unpacker of programs. It unpacks each archive once, into a scratch folder. */
export interface ProgramFolders {
  /**
   * Returns the folder of an archive's program. Throws ARCHIVE_UNREADABLE, ARCHIVE_TOO_LARGE, and
   * the errors of the blob store.
   */
  readonly open: (archive: BlobHash) => Promise<string>
}

/**
 * Creates the unpacker of one process. A folder that another process has unpacked completely is
 * reused.
 */
export function createProgramFolders(
  blobs: Pick<BlobsPort, 'get'>,
  scratch: string,
): ProgramFolders {
  const unpackings = new Map<BlobHash, Promise<string>>()
  return {
    open(archive) {
      const existing = unpackings.get(archive)
      if (existing !== undefined) return existing
      const unpacking = unpackProgram(blobs, scratch, archive)
      unpackings.set(archive, unpacking)
      unpacking.catch(() => unpackings.delete(archive))
      return unpacking
    },
  }
}

async function unpackProgram(
  blobs: Pick<BlobsPort, 'get'>,
  scratch: string,
  archive: BlobHash,
): Promise<string> {
  const archiveFolder = join(scratch, 'programs', archive)
  if (existsSync(join(archiveFolder, completeMarker))) return join(archiveFolder, 'program')
  mkdirSync(join(scratch, 'programs'), { recursive: true, mode: 0o700 })
  const bytes = await blobs.get(archive)
  const temporaryFolder = mkdtempSync(join(scratch, 'programs', 'making-'))
  try {
    mkdirSync(join(temporaryFolder, 'program'))
    await unpackArchive(bytes, {
      targetFolder: join(temporaryFolder, 'program'),
      name: `archive ${archive}`,
    })
    writeFileSync(join(temporaryFolder, completeMarker), '')
    moveIntoPlace(temporaryFolder, archiveFolder)
    return join(archiveFolder, 'program')
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

/** The name of the file that marks a completely unpacked archive. */
const completeMarker = '.whole'

/**
 * Moves a folder to its final path. Another process may have moved its folder, with the same
 * contents, there first.
 */
function moveIntoPlace(temporaryFolder: string, archiveFolder: string): void {
  try {
    renameSync(temporaryFolder, archiveFolder)
  } catch (thrown) {
    if (!existsSync(join(archiveFolder, completeMarker))) throw thrown
  }
}
