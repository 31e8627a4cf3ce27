/**
 * backends: the layout of Pulumi's self-managed backends, and the operations on it. Imports ports
 * and below. Files of this folder reach the objects of a backend only through `ObjectStorePort`.
 *
 * Invariants: 1. Pulumi's command line reads every object that this folder writes. 2. An object
 * that cannot be read is an error, never an empty state. Source of the layout:
 * docs/spec/backend-layout.md.
 */
import { createError } from '../errors/error.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../records/ids.ts'

/** The layout of a backend: with projects (version 1 of its metadata), or without (version 0). */
export type BackendLayout = 'project' | 'legacy'

/** The key of the metadata. */
export const backendMetaKey = '.pulumi/meta.yaml'

/** The prefix of all stacks. */
export const stacksPrefix = '.pulumi/stacks/'

/** The project of the stacks of a legacy backend, until a state names their real project. */
export const unknownProject = '-'

/** The keys of one stack. */
export interface StackKeys {
  /** The key of the uncompressed checkpoint. */
  readonly checkpoint: string
  readonly tags: string
  /** The prefix of the history. It ends with `/`. */
  readonly history: string
  /** The prefix of the backups. It ends with `/`. */
  readonly backups: string
  /** The prefix of the locks. It ends with `/`. */
  readonly locks: string
  /**
   * The prefix of the journal copies of running deployments. Pulumi has no such objects. It ends
   * with `/`.
   */
  readonly journal: string
  /** The name of the stack in the file names of its history and backups. */
  readonly fileName: string
  /** The name of the stack in its checkpoint. */
  readonly qualifiedName: string
}

/** Returns the keys of a stack. */
export function stackKeysOf(layout: BackendLayout, id: StackId): StackKeys {
  const { project, stack } = stackPartsOf(id)
  const path = layout === 'project' ? `${project}/${stack}` : stack
  const qualifiedName = layout === 'project' ? id : stack
  return {
    checkpoint: `${stacksPrefix}${path}.json`,
    tags: `${stacksPrefix}${path}.pulumi-tags`,
    history: `.pulumi/history/${path}/`,
    backups: `.pulumi/backups/${path}/`,
    locks: `.pulumi/locks/${qualifiedName}/`,
    journal: `.pulumi/antichain-journal/${path}/`,
    fileName: stack,
    qualifiedName,
  }
}

const namePattern = /^[\w.-]{1,100}$/
const checkpointPattern = /\.json(\.gz|\.zst)?$/

/** Returns the stack whose checkpoint has this key. Returns undefined for any other key. */
export function stackOfKey(layout: BackendLayout, key: string): StackId | undefined {
  if (!key.startsWith(stacksPrefix) || !checkpointPattern.test(key)) return undefined
  const names = key.slice(stacksPrefix.length).replace(checkpointPattern, '').split('/')
  if (!names.every(name => namePattern.test(name))) return undefined
  const [first = '', second] = names
  if (layout === 'legacy') return names.length === 1 ? stackIdOf(unknownProject, first) : undefined
  return second !== undefined && names.length === 2 ? stackIdOf(first, second) : undefined
}

/**
 * Returns the layout that the version in the metadata names. Throws BACKEND_INVALID if the metadata
 * has no version, and BACKEND_TOO_NEW for an unknown version.
 */
export function parseBackendMeta(bytes: Uint8Array): BackendLayout {
  const [, digits] = /^\s*version:\s*(\d+)\s*$/m.exec(Buffer.from(bytes).toString()) ?? []
  if (digits === undefined)
    throw createError('BACKEND_INVALID', `${backendMetaKey} of the backend has no version`, {
      hint: 'Restore the object; a backend with projects has the line `version: 1`.',
    })
  if (Number(digits) > 1)
    throw createError(
      'BACKEND_TOO_NEW',
      `${backendMetaKey} of the backend has version ${digits}; known versions are 0 and 1`,
    )
  return Number(digits) === 1 ? 'project' : 'legacy'
}

/** The bytes of the metadata of a backend with projects. */
export const projectBackendMeta: Uint8Array = Buffer.from('version: 1\n')
