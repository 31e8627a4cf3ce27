import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { HistoryImport } from '../../backends/import-history.ts'
import type { StoredJsonObject } from '../../state/stored-fields.ts'
import { type DeploymentId, type EpochMs, type StackId, stackPartsOf } from '../../records/ids.ts'
import { createRecordForm, jsonForm } from '../../values/record-form.ts'
import { type StoreLock, tryLock } from '../embedded/store/store-lock.ts'

/**
 * The point up to which the store of this machine and the backend agree about a stack. It names
 * the checkpoint and the history entry that this machine last read or wrote.
 */
export interface SyncPoint {
  /** The SHA-256 of the checkpoint that this store read or wrote last. '': none. */
  readonly checkpoint: string
  /** The snapshot of the store with the content of that checkpoint. '': not known. */
  readonly base: string
  /**
   * The fields of that checkpoint that no snapshot has, such as fields of a later version of
   * Pulumi.
   */
  readonly checkpointFields: StoredJsonObject
  /** The key of the newest entry of the backend's history that this store has. '': none. */
  readonly lastEntry: string
  /** The lock that a process of this machine wrote last, with the pid and start of the process. */
  readonly lock?: { readonly uuid: string; readonly pid: number; readonly started: string }
  /**
   * The deployment whose history entry this machine is writing, with the time in the names of the
   * entry's objects.
   */
  readonly entry?: { readonly deployment: string; readonly atMs: number }
  /** The deployment that an import is adding to the history of this machine. */
  readonly importing?: OpenImport | undefined
}

/**
 * A deployment that an import adds to the history of this machine. It has no control record, so
 * only this record shows how the deployment ends if the import is killed.
 */
export interface OpenImport {
  /** The key of the imported entry. '': a new state without an entry. */
  readonly key: string
  readonly deployment: DeploymentId
  /** The start of the deployment. */
  readonly startedAt: EpochMs
  readonly end: HistoryImport['end']
}

const openImportForm = z.object({
  key: z.string(),
  deployment: z.string(),
  startedAt: z.number(),
  end: z.object({
    at: z.number(),
    result: z.enum(['succeeded', 'failed', 'interrupted']),
    changes: createRecordForm(z.number()),
  }),
})

const syncPointForm = z.object({
  checkpoint: z.string(),
  base: z.string().default(''),
  checkpointFields: createRecordForm(jsonForm).default({}),
  lastEntry: z.string(),
  lock: z.object({ uuid: z.string(), pid: z.number(), started: z.string() }).optional(),
  entry: z.object({ deployment: z.string(), atMs: z.number() }).optional(),
  importing: openImportForm.optional(),
})

/** The sync point of a stack that this store has never read or written. */
export const emptySyncPoint: SyncPoint = {
  checkpoint: '',
  base: '',
  checkpointFields: {},
  lastEntry: '',
}

/** The sync points of the stacks of one backend. */
export interface SyncPoints {
  /**
   * Returns the sync point of a stack. Returns the empty one if there is none, or if its file is
   * damaged. The stack is then read again.
   */
  readonly read: (id: StackId) => SyncPoint
  readonly update: (id: StackId, change: Partial<SyncPoint>) => void
  readonly remove: (id: StackId) => void
  /**
   * Acquires the lock for changes of this machine's history by an import. Returns undefined while
   * another import has it. The death of a process releases its lock. Throws STORE_UNAVAILABLE.
   */
  readonly tryLock: (id: StackId) => StoreLock | undefined
}

/** Creates the sync points, which are one JSON file per stack in a folder. */
export function createSyncPoints(folder: string): SyncPoints {
  const fileOf = (id: StackId, suffix = 'json'): string => {
    const { project, stack } = stackPartsOf(id)
    return join(folder, project, `${stack}.${suffix}`)
  }
  const read = (id: StackId): SyncPoint => {
    try {
      const { lock, entry, importing, ...syncPoint } = syncPointForm.parse(
        JSON.parse(readFileSync(fileOf(id), 'utf8')),
      )
      return {
        ...syncPoint,
        ...(lock === undefined ? {} : { lock }),
        ...(entry === undefined ? {} : { entry }),
        ...(importing === undefined ? {} : { importing: importing as OpenImport }),
      }
    } catch {
      return emptySyncPoint
    }
  }
  return {
    read,
    update: (id, change) => {
      const file = fileOf(id)
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.${process.pid}`, JSON.stringify({ ...read(id), ...change }))
      renameSync(`${file}.${process.pid}`, file)
    },
    remove: id => rmSync(fileOf(id), { force: true }),
    tryLock: id => {
      mkdirSync(dirname(fileOf(id)), { recursive: true, mode: 0o700 })
      return tryLock(fileOf(id, 'lock'))
    },
  }
}
