/**
 * backend: the embedded platform over a self-managed backend. The backend has states, history and
 * locks in Pulumi's layout. The store of this machine has the records of deployments. A backend
 * with conditional writes also has a copy of the records of running deployments. Imports backends
 * and below, and the other adapters of platform.
 *
 * Invariants: 1. A deployment changes a stack only while this process has its lock in the backend.
 * 2. The checkpoint of a deployment is in the backend before the deployment is released. 3. A
 * checkpoint that another client wrote is never replaced by a state that is not based on it. 4. A
 * write to the records of a copied deployment is in the backend before the caller of the write gets
 * the reply.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  describeLegacyLayout,
  findLegacyStack,
  listLegacyStacks,
} from '../../backends/legacy-stacks.ts'
import { type Backend, openBackend } from '../../backends/open-backend.ts'
import { limits } from '../../config/limits.ts'
import { type DeploymentId, type StackId } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { TelemetryPort } from '../../ports/telemetry.ts'
import { type EmbeddedPlatform, openEmbeddedPlatform } from '../embedded/embedded-platform.ts'
import { openObjectStore, requireBackendFolder } from '../objects/open-object-store.ts'
import { parseObjectStoreUrl } from '../objects/object-store-url.ts'
import { createBackendControl } from './backend-control.ts'
import { createBackendDocuments } from './backend-documents.ts'
import { createBackendCatalog } from './backend-catalog.ts'
import { closeCopiedDeployment } from './close-copied-deployment.ts'
import { createHeldLocks } from './held-locks.ts'
import { publishFirstState } from './publish-first-state.ts'
import { completeRenames, createBackendRenames } from './rename-in-backend.ts'
import { createRenameIntents } from './rename-intents.ts'
import { createPartSender } from './send-parts.ts'
import { createSyncPoints } from './sync-points.ts'
import { createUnfinishedCopies } from './unfinished-copies.ts'
import {
  type FindProjects,
  type LayoutUpgrade,
  type UpgradeDeps,
  upgradeLayout,
} from './upgrade-layout.ts'

/** The embedded platform over a backend. */
export interface BackendPlatform extends EmbeddedPlatform {
  /** Writes the first state of a new stack, without an entry in its history. */
  readonly publishFirstState: (id: StackId, state: StoredDeployment) => Promise<void>
  /**
   * Returns the id of a stack of the legacy layout, as the function of this name in
   * `legacy-stacks.ts` does. Absent for a backend with projects.
   */
  readonly findLegacyStack?: (stack: string, project?: string) => Promise<StackId | undefined>
  /** Lists the names of the stacks in the legacy layout, which any backend may have. */
  readonly listLegacyStacks: () => Promise<readonly string[]>
  /** Moves the stacks of the legacy layout to the layout with projects. */
  readonly upgradeLayout: (findProjects: FindProjects) => Promise<LayoutUpgrade>
  /** Removes the locks of other processes on a stack. Returns their number. */
  readonly breakLocks: (id: StackId) => Promise<number>
}

/** The options of a platform over a backend. */
export interface BackendPlatformOptions {
  readonly address: string
  readonly cwd: string
  /** The folder on this machine with the store for this backend. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly holder: Holder
  readonly logger: LoggerPort
  readonly telemetry?: TelemetryPort
  /** Reports whether the process of a holder runs. Returns undefined for another machine. */
  readonly isAlive: (holder: Omit<Holder, 'who'>) => boolean | undefined
  /**
   * Called with a message before a wait for a new part of another machine's journal copy. Also
   * called if the store has no conditional writes, or has the legacy layout.
   */
  readonly onNotice: (message: string) => void
  /** Closes a deployment whose processes are all dead. */
  readonly closeDeployment: (platform: EmbeddedPlatform, deployment: DeploymentId) => Promise<void>
  /**
   * The time without a new part of its journal copy after which another machine counts as dead, in
   * ms. Default: the duration of a lease.
   */
  readonly silenceMs?: number
}

/**
 * Opens the platform over a backend. Throws BACKEND_URL_INVALID, BACKEND_INVALID, and the errors of
 * the object store and of this machine's store.
 */
export async function openBackendPlatform(
  options: BackendPlatformOptions,
): Promise<BackendPlatform> {
  const { env, holder, home } = options
  const url = parseObjectStoreUrl(options.address, options.cwd)
  requireBackendFolder(url)
  const store = await openObjectStore(url, env)
  const backend = await openBackend(store, env)
  const warning = await describeLegacyLayout(backend)
  if (warning !== undefined) options.onNotice(warning)
  const syncPoints = createSyncPoints(join(home, 'marks'))
  const embedded = await openEmbeddedPlatform({
    home,
    logger: options.logger,
    ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
    sendParts: createPartSender({ backend, syncPoints, blobFolder: join(home, 'blobs') }),
  })
  const { catalog: local, journalCopies, control, blobs, clock } = embedded
  const lockId = randomUUID()
  /** Creates the locks in one layout of the backend, and the access to its unfinished copies. */
  const createLocks = (layoutBackend: Backend) => {
    const { closeDeployment, onNotice, isAlive } = options
    const closeDeps = { backend: layoutBackend, folder: join(home, 'copies'), closeDeployment }
    const unfinishedCopies = createUnfinishedCopies({
      ...{ backend: layoutBackend, syncPoints, clock, holder },
      ...{ catalog: local, control, journalCopies },
      ...{ silenceMs: options.silenceMs ?? limits.leaseMs, onNotice },
      closeCopied: (id, copy) => closeCopiedDeployment(closeDeps, id, copy),
    })
    const lockDeps = { backend: layoutBackend, syncPoints, clock, lockId, holder, isAlive }
    return { locks: createHeldLocks({ ...lockDeps, unfinishedCopies }), ...unfinishedCopies }
  }
  const { locks, releaseIfTakenOver } = createLocks(backend)
  const syncDeps = { backend, catalog: local, blobs, syncPoints, clock, releaseIfTakenOver }
  const controlDeps = { backend, control, journalCopies, onNotice: options.onNotice }
  const intents = createRenameIntents(join(home, 'renames'))
  const renameDeps = { ...syncDeps, locks, renames: embedded.renames, intents, holder }
  await completeRenames({ ...renameDeps, isAlive: options.isAlive })
  const catalog = createBackendCatalog({ ...syncDeps, locks, journalCopies })
  /** Releases all locks except those of unfinished deployments, whose stacks must not change. */
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
    writesUnchangedSnapshots: true,
    documents: createBackendDocuments(backend, embedded.documents),
    control: createBackendControl({ ...controlDeps, locks, lockId }),
    renames: createBackendRenames(renameDeps),
    publishFirstState: (id, state) => publishFirstState({ ...syncDeps, locks }, id, state),
    ...createLegacyAccess(
      { backend, catalog: local, syncPoints },
      layoutBackend => createLocks(layoutBackend).locks,
    ),
    breakLocks: id => locks.breakOtherLocks(id),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Creates the access to the stacks of the legacy layout. `createLocks` creates the locks of a
 * backend in its layout.
 */
function createLegacyAccess(
  deps: Omit<UpgradeDeps, 'locks'>,
  createLocks: (backend: Backend) => UpgradeDeps['locks'],
): Pick<BackendPlatform, 'findLegacyStack' | 'listLegacyStacks' | 'upgradeLayout'> {
  const { backend } = deps
  const legacyBackend: Backend = { ...backend, layout: 'legacy' }
  return {
    ...(backend.layout === 'legacy'
      ? { findLegacyStack: (stack, project) => findLegacyStack(backend, stack, project) }
      : {}),
    listLegacyStacks: () => listLegacyStacks(backend),
    upgradeLayout: findProjects => {
      const locks = createLocks(legacyBackend)
      return upgradeLayout({ ...deps, backend: legacyBackend, locks }, findProjects)
    },
  }
}
