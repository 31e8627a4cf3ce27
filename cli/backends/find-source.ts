import { type Backend, findBackend, listBackendStacks } from '../../shared/backends/open-backend.ts'
import { error } from '../../shared/errors/error.ts'
import {
  type ObjectStoreUrl,
  parseObjectStoreUrl,
} from '../../shared/platform/objects/object-store-url.ts'
import { openObjectStore } from '../../shared/platform/objects/open-object-store.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { unknownProject } from '../../shared/backends/backend-keys.ts'
import type { CliSession } from '../session/session.ts'

/** The stacks to import, and the backend that has them. */
export interface ImportSource {
  readonly backend: Backend
  readonly stacks: readonly StackId[]
  /** Whether the address names a stack, which is then the only one in `stacks`. */
  readonly isSingle: boolean
}

/**
 * Finds the stacks of the address `<backend>[/<project>/<stack>]`. The shorter paths of the address
 * are tried only if the whole path is no backend. Throws BACKEND_MISSING, STACK_NOT_FOUND, and the
 * errors of the store.
 */
export async function findSource(session: CliSession, address: string): Promise<ImportSource> {
  const url = parseObjectStoreUrl(address, session.cwd)
  const { env } = session.io
  const backend = await findBackend(await openObjectStore(url, env), env)
  if (backend !== undefined)
    return { backend, stacks: await listBackendStacks(backend), isSingle: false }
  for (const count of [2, 1]) {
    const { parent, names } = splitPath(url, count)
    const parentBackend =
      parent === undefined ? undefined : await findBackend(await openObjectStore(parent, env), env)
    if (parentBackend !== undefined) return selectStack(parentBackend, names)
  }
  throw error('BACKEND_MISSING', `${address} has no stacks: no .pulumi/meta.yaml exists there`)
}

/** Separates the last `count` names of a path. Returns no parent if the path is too short. */
function splitPath(
  url: ObjectStoreUrl,
  count: number,
): { readonly parent: ObjectStoreUrl | undefined; readonly names: readonly string[] } {
  const parts = url.prefix.split('/').filter(part => part !== '')
  if (parts.length < count) return { parent: undefined, names: [] }
  const parentParts = parts.slice(0, -count)
  const prefix =
    url.scheme === 'file'
      ? `/${parentParts.join('/')}`
      : parentParts.map(part => `${part}/`).join('')
  return { parent: { ...url, prefix }, names: parts.slice(-count) }
}

async function selectStack(backend: Backend, names: readonly string[]): Promise<ImportSource> {
  const [first = '', second] = names
  const isLegacy = backend.layout === 'legacy'
  const id = isLegacy ? stackIdOf(unknownProject, second ?? first) : stackIdOf(first, second ?? '')
  const stacks = await listBackendStacks(backend)
  if (stacks.includes(id)) return { backend, stacks: [id], isSingle: true }
  throw error('STACK_NOT_FOUND', `${backend.store.address} has no stack ${names.join('/')}`)
}
