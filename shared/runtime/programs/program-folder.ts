import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createError, hasCode } from '../../errors/error.ts'
import type { ArchivesPort } from '../../ports/records.ts'
import { archiveNameOf } from '../../records/archive-name.ts'
import type { BlobHash, StackId } from '../../records/ids.ts'
import { unpackArchive } from './unpack-stored-archive.ts'

/** The folders of unpacked programs. Each archive is unpacked once, into a scratch folder. */
export interface ProgramFolders {
  /**
   * Returns the folder of the program in a stack's archive. Throws ARCHIVE_UNKNOWN for an archive
   * that is absent or of another stack, ARCHIVE_UNREADABLE, ARCHIVE_TOO_LARGE, and the errors of
   * the blob store.
   */
  readonly open: (stack: StackId, archive: BlobHash) => Promise<string>
}

/**
 * Creates the program folders of one process. A folder that another process has unpacked completely
 * is reused.
 */
export function createProgramFolders(
  archives: Pick<ArchivesPort, 'get'>,
  scratch: string,
): ProgramFolders {
  const pendingUnpacks = new Map<string, Promise<string>>()
  return {
    open(stack, archive) {
      // A folder that was unpacked for one stack is not the program of another one.
      const folderName = archiveNameOf(stack, archive)
      const existing = pendingUnpacks.get(folderName)
      if (existing !== undefined) return existing
      const unpack = unpackProgram({ archives, scratch, folderName }, stack, archive)
      pendingUnpacks.set(folderName, unpack)
      unpack.catch(() => pendingUnpacks.delete(folderName))
      return unpack
    },
  }
}

async function unpackProgram(
  deps: {
    readonly archives: Pick<ArchivesPort, 'get'>
    readonly scratch: string
    readonly folderName: string
  },
  stack: StackId,
  archive: BlobHash,
): Promise<string> {
  const { archives, scratch, folderName } = deps
  const archiveFolder = join(scratch, 'programs', folderName)
  if (existsSync(join(archiveFolder, completeMarker))) return join(archiveFolder, 'program')
  mkdirSync(join(scratch, 'programs'), { recursive: true, mode: 0o700 })
  const bytes = await archives.get(stack, archive).catch(thrown => {
    throw hasCode(thrown, 'STATE_INVALID') ? createArchiveUnknownError(stack, thrown) : thrown
  })
  const temporaryFolder = mkdtempSync(join(scratch, 'programs', 'unpacking-'))
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

function createArchiveUnknownError(stack: StackId, cause: unknown): Error {
  return createError(
    'ARCHIVE_UNKNOWN',
    `the stack '${stack}' does not have the requested archive of a program`,
    {
      cause,
    },
  )
}

/** The name of the file that marks a completely unpacked archive. */
const completeMarker = '.whole'

/**
 * Moves a folder to its final path. Another process may already have moved a folder with the same
 * contents to this path.
 */
function moveIntoPlace(temporaryFolder: string, archiveFolder: string): void {
  try {
    renameSync(temporaryFolder, archiveFolder)
  } catch (thrown) {
    if (!existsSync(join(archiveFolder, completeMarker))) throw thrown
  }
}
