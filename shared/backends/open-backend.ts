import type { ObjectStorePort } from '../ports/objects.ts'
import type { StackId } from '../records/ids.ts'
import { hasBackendFlag } from './backend-flags.ts'
import {
  type BackendLayout,
  backendMetaKey,
  parseBackendMeta,
  projectBackendMeta,
  stackOfKey,
  stacksPrefix,
} from './backend-keys.ts'
import { type Compression, readCompression } from './compression.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * A self-managed backend: its objects, its layout, and the compression of new objects. `env` has
 * the variables for retained checkpoints and backups.
 */
export interface Backend {
  readonly store: ObjectStorePort
  readonly layout: BackendLayout
  readonly compression: Compression
  readonly env: Env
}

/**
 * Opens the backend of a store. A new backend gets its metadata, unless
 * PULUMI_DIY_BACKEND_LEGACY_LAYOUT or its former name is true. Throws BACKEND_INVALID,
 * BACKEND_TOO_NEW, CLI_USAGE for contradicting variables, and the errors of the store.
 */
export async function openBackend(store: ObjectStorePort, env: Env): Promise<Backend> {
  const backend = await findBackend(store, env)
  if (backend !== undefined) return backend
  const mustBeLegacy = hasBackendFlag(env, 'LEGACY_LAYOUT')
  if (!mustBeLegacy) await store.put(backendMetaKey, projectBackendMeta)
  return createBackend(store, mustBeLegacy ? 'legacy' : 'project', env)
}

/**
 * Opens the backend of a store without a write. Returns undefined if the store has neither metadata
 * nor stacks. Throws like `openBackend`.
 */
export async function findBackend(store: ObjectStorePort, env: Env): Promise<Backend | undefined> {
  const meta = await store.get(backendMetaKey)
  if (meta !== undefined) return createBackend(store, parseBackendMeta(meta), env)
  const entries = await store.list(stacksPrefix)
  const hasLegacyStack = entries.some(({ key }) => stackOfKey('legacy', key) !== undefined)
  return hasLegacyStack ? createBackend(store, 'legacy', env) : undefined
}

function createBackend(store: ObjectStorePort, layout: BackendLayout, env: Env): Backend {
  return { store, layout, compression: readCompression(env), env }
}

/** Lists the stacks of a backend, ordered by id. */
export async function listBackendStacks(backend: Backend): Promise<readonly StackId[]> {
  const entries = await backend.store.list(stacksPrefix)
  const ids = entries.flatMap(({ key }) => stackOfKey(backend.layout, key) ?? [])
  return [...new Set(ids)].toSorted()
}
