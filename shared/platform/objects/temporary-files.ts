import { createHash, randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { systemCodeOf } from '../../errors/system-code.ts'

/** The text in the name of each temporary file. No key contains it. */
const temporaryInfix = '.antichain-tmp-'

/** The end of a temporary file's name: the host and the process of its writer, and an id. */
const writerPattern = new RegExp(
  `\\${temporaryInfix}(?<host>[0-9a-f]{8})-(?<pid>\\d+)-[^-]+(-[^-]+){4}$`,
)

/** Age from which on a temporary file counts as left by a killed process, in ms: one hour. */
const leftoverAgeMs = 3_600_000

/**
 * The part of a name that identifies this host. It is a digest, because names of hosts can be long.
 */
const hostDigest = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

/** Returns the path of a new temporary file, next to the file that it will replace. */
export function createTemporaryPath(path: string): string {
  return `${path}${temporaryInfix}${hostDigest}-${process.pid}-${randomUUID()}`
}

/** Reports whether a file is a temporary one. */
export function isTemporaryName(name: string): boolean {
  return name.includes(temporaryInfix)
}

/** Removes the leftovers of a backend: the temporary files that killed processes left. */
export interface LeftoverCleaner {
  /** Adds a temporary file that may be a leftover. */
  readonly addCandidate: (path: string) => void
  /** Removes the leftovers among the added files. The first call for a folder also searches it. */
  readonly remove: (folder: string) => Promise<void>
}

/** Creates the cleaner of a backend. It ignores a removal that fails. */
export function createLeftoverCleaner(nowMs: () => number = Date.now): LeftoverCleaner {
  const candidates = new Set<string>()
  const searchedFolders = new Set<string>()
  const removeIfOld = async (path: string): Promise<void> => {
    const status = await stat(path).catch(() => undefined)
    if (status === undefined || nowMs() - status.mtimeMs < leftoverAgeMs) return
    if (!isWriterAlive(path)) await rm(path, { force: true }).catch(() => undefined)
  }
  return {
    addCandidate: path => void candidates.add(path),
    remove: async folder => {
      if (!searchedFolders.has(folder)) {
        searchedFolders.add(folder)
        const names = await readdir(folder).catch((): string[] => [])
        for (const name of names) if (isTemporaryName(name)) candidates.add(join(folder, name))
      }
      const paths = [...candidates]
      candidates.clear()
      await Promise.all(paths.map(removeIfOld))
    },
  }
}

/**
 * Reports whether the writer of a temporary file is a process of this host that runs. A process of
 * another host cannot be checked, but writes its file again after a removal.
 */
function isWriterAlive(path: string): boolean {
  const { host, pid } = writerPattern.exec(basename(path))?.groups ?? {}
  if (host !== hostDigest) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (thrown) {
    // EPERM: the process exists, but this process may not send it a signal.
    return systemCodeOf(thrown) === 'EPERM'
  }
}
