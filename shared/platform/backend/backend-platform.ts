/**
 * backend: the embedded platform over a self-managed backend. The store of this machine has the
 * records of deployments. The backend has states, history and locks in Pulumi's layout. Imports
 * backends and below, and the other adapters of platform.
 *
 * Invariants: 1. A deployment changes a stack only while this process has its lock in the backend.
 * 2. The checkpoint of a deployment is in the backend before the deployment is released. 3. A
 * checkpoint that another client wrote is never replaced by a state that is not based on it.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openBackend } from '../../backends/open-backend.ts'
import type { UpdateInfo } from '../../backends/update-info.ts'
import { error } from '../../errors/error.ts'
import { deploymentPartsOf, type StackId } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'
import type { EmbeddedPlatform } from '../embedded/embedded-platform.ts'
import { openObjectStore } from '../objects/open-object-store.ts'
import { parseObjectStoreUrl } from '../objects/object-store-url.ts'
import { createBackendCatalog } from './backend-catalog.ts'
import { createHeldLocks } from './held-locks.ts'
import { createBackendRenames } from './rename-in-backend.ts'
import { createStackMarks } from './stack-marks.ts'

/** The embedded platform over a backend. */
export interface BackendPlatform extends EmbeddedPlatform {
  /** Sets the configuration that the history of a stack's next deployment has. */
  readonly setConfig: (id: StackId, config: UpdateInfo['config']) => void
  /** Removes the locks of other processes on a stack. Returns their number. */
  readonly breakLocks: (id: StackId) => Promise<number>
}

/** The options of a platform over a backend. */
export interface BackendPlatformOptions {
  readonly address: string
  readonly cwd: string
  /** The folder of the store of this machine for the backend. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly holder: Holder
  readonly isAlive: (holder: Omit<Holder, 'who'>) => boolean | undefined
}

/**
 * Creates the platform over a backend. Throws BACKEND_URL_INVALID, BACKEND_INVALID, FEATURE_MISSING
 * for the legacy layout, and the errors of the backend's store.
 */
export async function createBackendPlatform(
  embedded: EmbeddedPlatform,
  options: BackendPlatformOptions,
): Promise<BackendPlatform> {
  const { env, holder, isAlive } = options
  const store = await openObjectStore(parseObjectStoreUrl(options.address, options.cwd), env)
  const backend = await openBackend(store, env)
  if (backend.layout === 'legacy')
    throw error('FEATURE_MISSING', `${store.address} has the legacy layout without projects`, {
      hint: 'Run `pulumi state upgrade` once, or copy the stacks with `antichain stack import --from`.',
    })
  const marks = createStackMarks(join(options.home, 'marks'))
  const { catalog: local, blobs, clock } = embedded
  const locks = createHeldLocks({ backend, marks, clock, uuid: randomUUID(), holder, isAlive })
  const configs = new Map<StackId, UpdateInfo['config']>()
  const syncDeps = { backend, catalog: local, blobs, marks, clock, holder }
  const catalog = createBackendCatalog({
    ...syncDeps,
    locks,
    configOf: id => configs.get(id) ?? {},
  })
  /** Leaves the locks of unfinished deployments, so that no other client changes their stacks. */
  const releaseIdle = async (): Promise<void> => {
    for (const id of locks.list())
      if ((await local.getStack(id))?.current === '') await locks.release(id)
  }
  const close = async (): Promise<void> => {
    try {
      await releaseIdle()
    } finally {
      await embedded.close()
    }
  }
  return {
    ...embedded,
    catalog,
    control: {
      ...embedded.control,
      hold: async (deployment, newHolder, takeoverNumber) => {
        await locks.acquire(deploymentPartsOf(deployment).stack)
        await embedded.control.hold(deployment, newHolder, takeoverNumber)
      },
    },
    renames: createBackendRenames({ ...syncDeps, locks, renames: embedded.renames }),
    setConfig: (id, config) => void configs.set(id, config),
    breakLocks: id => locks.breakOthers(id),
    close,
    [Symbol.asyncDispose]: close,
  }
}
