import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { StoredJsonObject } from '../../state/stored-fields.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { createRecordForm, jsonForm } from '../../values/record-form.ts'

/** The facts about a stack in the backend that the store of this machine last read or wrote. */
export interface StackMark {
  /** The SHA-256 of the checkpoint that this store read or wrote last. '': none. */
  readonly checkpoint: string
  /** The snapshot with the content of that checkpoint. '': not known. */
  readonly base: string
  /**
   * The fields of that checkpoint that no snapshot has, such as fields of a later version of
   * Pulumi.
   */
  readonly checkpointFields: StoredJsonObject
  /** The key of the last entry of the history that this store has. '': none. */
  readonly lastEntry: string
  /** The lock that a process of this machine wrote last, with the pid and start of the process. */
  readonly lock?: { readonly uuid: string; readonly pid: number; readonly started: string }
  /** The deployment whose entry is being written, with the time in the names of its objects. */
  readonly entry?: { readonly deployment: string; readonly atMs: number }
}

const markForm = z.object({
  checkpoint: z.string(),
  base: z.string().default(''),
  checkpointFields: createRecordForm(jsonForm).default({}),
  lastEntry: z.string(),
  lock: z.object({ uuid: z.string(), pid: z.number(), started: z.string() }).optional(),
  entry: z.object({ deployment: z.string(), atMs: z.number() }).optional(),
})

/** The mark of a stack that this store does not know yet. */
export const emptyMark: StackMark = {
  ...{ checkpoint: '', base: '', checkpointFields: {}, lastEntry: '' },
}

/** The marks of the stacks of one backend. */
export interface StackMarks {
  /**
   * Returns the mark of a stack. Returns the empty mark if there is none, or if it is damaged. The
   * stack is then read again.
   */
  readonly read: (id: StackId) => StackMark
  readonly update: (id: StackId, change: Partial<StackMark>) => void
  readonly remove: (id: StackId) => void
}

/** Creates the marks, as one JSON file per stack in a folder. */
export function createStackMarks(folder: string): StackMarks {
  const fileOf = (id: StackId): string => {
    const { project, stack } = stackPartsOf(id)
    return join(folder, project, `${stack}.json`)
  }
  const read = (id: StackId): StackMark => {
    try {
      const { lock, entry, ...mark } = markForm.parse(JSON.parse(readFileSync(fileOf(id), 'utf8')))
      return {
        ...mark,
        ...(lock === undefined ? {} : { lock }),
        ...(entry === undefined ? {} : { entry }),
      }
    } catch {
      return emptyMark
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
  }
}
