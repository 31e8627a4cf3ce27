import { type Backend, findBackend, listBackendStacks } from '../../shared/backends/open-backend.ts'
import { createError } from '../../shared/errors/error.ts'
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
 * Finds the stacks of the address `<backend>[/<project>/<stack>]`. For a backend of the legacy
 * layout, `/<stack>` is enough, and a project before it is not compared. Throws BACKEND_MISSING,
 * STACK_NOT_FOUND, and the errors of the store.
 */
export async function findSource(session: CliSession, address: string): Promise<ImportSource> {
  const url = parseObjectStoreUrl(address, session.cwd)
  const { env } = session.io
  const backend = await findBackend(await openObjectStore(url, env), env)
  if (backend !== undefined)
    return { backend, stacks: await listBackendStacks(backend), isSingle: false }
  let missingError = createError(
    'BACKEND_MISSING',
    `${address} has no stacks: it has neither .pulumi/meta.yaml nor stacks of the legacy layout`,
  )
  // The address may end in `<stack>` or `<project>/<stack>`. The parent folder is tried first,
  // because the user may not be allowed to read the folder above it.
  for (const count of [1, 2]) {
    const { parent, names } = splitPath(url, count)
    const parentBackend =
      parent === undefined ? undefined : await findBackend(await openObjectStore(parent, env), env)
    if (parentBackend === undefined) continue
    const stack = await findStack(parentBackend, names)
    if (stack !== undefined) return { backend: parentBackend, stacks: [stack], isSingle: true }
    const stackName = names.join('/')
    missingError = createError(
      'STACK_NOT_FOUND',
      `${parentBackend.store.address} has no stack ${stackName}`,
    )
  }
  throw missingError
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

/** Finds the stack of `[<project>/]<stack>`. Stacks of the legacy layout have no project. */
async function findStack(backend: Backend, names: readonly string[]): Promise<StackId | undefined> {
  const stackName = names.at(-1) ?? ''
  const projectName = backend.layout === 'legacy' ? unknownProject : names.at(-2)
  if (projectName === undefined) return undefined
  const id = stackIdOf(projectName, stackName)
  return (await listBackendStacks(backend)).includes(id) ? id : undefined
}
