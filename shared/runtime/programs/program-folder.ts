import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobsPort } from '../../ports/records.ts'
import type { BlobHash } from '../../records/ids.ts'
import { unpackArchive } from './unpack-archive.ts'

/** Unpacks programs into a scratch folder, each archive once. */
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
  const opened = new Map<BlobHash, Promise<string>>()
  return {
    open(archive) {
      const known = opened.get(archive)
      if (known !== undefined) return known
      const opening = unpackProgram(blobs, scratch, archive)
      opened.set(archive, opening)
      opening.catch(() => opened.delete(archive))
      return opening
    },
  }
}

async function unpackProgram(
  blobs: Pick<BlobsPort, 'get'>,
  scratch: string,
  archive: BlobHash,
): Promise<string> {
  const place = join(scratch, 'programs', archive)
  if (existsSync(join(place, whole))) return join(place, 'program')
  mkdirSync(join(scratch, 'programs'), { recursive: true, mode: 0o700 })
  const bytes = await blobs.get(archive)
  const making = mkdtempSync(join(scratch, 'programs', 'making-'))
  try {
    mkdirSync(join(making, 'program'))
    await unpackArchive(bytes, { into: join(making, 'program'), name: `archive ${archive}` })
    writeFileSync(join(making, whole), '')
    moveIntoPlace(making, place)
    return join(place, 'program')
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Marks a completely unpacked archive. */
const whole = '.whole'

/** Another process may have moved its folder first, which has the same contents. */
function moveIntoPlace(making: string, place: string): void {
  try {
    renameSync(making, place)
  } catch (thrown) {
    if (!existsSync(join(place, whole))) throw thrown
  }
}
