import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const corpusFolder = join(import.meta.dirname, 'corpus')

/** Returns the names of all decoders, which are the folders of the corpus. */
export function listTargetNames(): readonly string[] {
  return readdirSync(corpusFolder).toSorted()
}

/**
 * Returns the corpus items of a decoder by name. The names of items that it may refuse begin with
 * `defect-` or `refused-`.
 */
export function readCorpus(target: string): ReadonlyMap<string, Uint8Array> {
  const folder = join(corpusFolder, target)
  const names = readdirSync(folder).toSorted()
  return new Map(names.map(name => [name, readFileSync(join(folder, name))]))
}
