import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { BlobHash, StackId } from '../../records/ids.ts'

const intentForm = z.object({
  from: z.string(),
  to: z.string(),
  snapshot: z.string(),
  pid: z.number(),
  started: z.string(),
})

/** A rename that a process of this machine began in a backend. */
export interface RenameIntent {
  readonly from: StackId
  readonly to: StackId
  /** The snapshot of the renamed state. '': the stack has no state. */
  readonly snapshot: BlobHash | ''
  /** The pid of the process. `started` is the start time of the process. */
  readonly pid: number
  readonly started: string
}

/** The renames of this machine that have not ended. */
export interface RenameIntents {
  /** Records a rename before its first change. Returns the name of the rename's file. */
  readonly add: (intent: RenameIntent) => string
  /** Lists the renames with the names of their files, without unreadable ones. */
  readonly list: () => readonly (readonly [string, RenameIntent])[]
  readonly remove: (name: string) => void
}

/** Creates the intents, as one JSON file per rename in a folder. */
export function createRenameIntents(folder: string): RenameIntents {
  const read = (name: string): RenameIntent | undefined => {
    try {
      const text = readFileSync(join(folder, name), 'utf8')
      return intentForm.parse(JSON.parse(text)) as RenameIntent
    } catch {
      return undefined
    }
  }
  return {
    add: intent => {
      const name = `${randomUUID()}.json`
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(join(folder, `${name}.new`), JSON.stringify(intent), { flush: true })
      renameSync(join(folder, `${name}.new`), join(folder, name))
      return name
    },
    list: () =>
      listNames(folder).flatMap(name => {
        const intent = read(name)
        return intent === undefined ? [] : [[name, intent] as const]
      }),
    remove: name => rmSync(join(folder, name), { force: true }),
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}
