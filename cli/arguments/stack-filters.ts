import { createError } from '../../shared/errors/error.ts'
import type { Flags } from './flags.ts'
import { requireUniqueNames } from './unique-pairs.ts'

/**
 * The projects and tags that limit a document to some stacks. A document without filters covers all
 * stacks.
 */
export interface StackFilters {
  readonly projects: readonly string[]
  readonly tags: Readonly<Record<string, string>>
}

/** Returns the values of `--project` and `--tag`. Throws CLI_USAGE. */
export function readStackFilters(flags: Pick<Flags, 'list'>): StackFilters {
  return {
    projects: flags.list('project'),
    tags: requireUniqueNames('--tag', flags.list('tag').map(splitTag)),
  }
}

function splitTag(tag: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(tag) ?? []
  if (name === undefined || value === undefined)
    throw createError('CLI_USAGE', `--tag takes <name>=<value>, not '${tag}'`)
  return [name, value]
}
