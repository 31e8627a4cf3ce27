import { createError } from '../../errors/error.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { CopiedWrite, CopyHeader } from '../../records/journal-copy.ts'
import { copiedMethods } from './store/copied-writes.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/** The copies of the records of deployments, for a platform over a backend. */
export interface JournalCopies {
  /** Prevents the copy of a deployment that has no control record yet. */
  readonly skip: (deployment: DeploymentId) => Promise<void>
  /** Returns the id of a deployment's copy. Returns undefined for a deployment without a copy. */
  readonly find: (deployment: DeploymentId) => Promise<string | undefined>
  /** Adds the last part, which marks the deployment as ended. Resolves when the backend has it. */
  readonly end: (deployment: DeploymentId) => Promise<void>
  /** Ends the copying of a deployment that another machine has closed. */
  readonly remove: (deployment: DeploymentId) => Promise<void>
  /** Writes the records that a copy starts from into an empty store. */
  readonly restore: (header: CopyHeader) => Promise<void>
  /**
   * Repeats writes in their order. Throws BACKEND_INVALID for a write that cannot be part of this
   * copy.
   */
  readonly repeat: (deployment: DeploymentId, writes: readonly CopiedWrite[]) => Promise<void>
}

/** Creates the access to journal copies over the embedded store. */
export function createJournalCopies(call: StoreCall): JournalCopies {
  const callCopied = call as (method: string, args: unknown) => Promise<unknown>
  return {
    skip: async deployment => void (await call('copies.skip', { deployment })),
    find: async deployment => (await call('copies.find', { deployment })) ?? undefined,
    end: async deployment => void (await call('copies.end', { deployment })),
    remove: async deployment => void (await call('copies.remove', { deployment })),
    restore: async header => void (await call('copies.restore', { header })),
    repeat: async (deployment, writes) => {
      for (const [method, args] of writes)
        if (!copiedMethods.has(method) || args.deployment !== deployment)
          throw createError(
            'BACKEND_INVALID',
            `a journal copy of ${deployment} has an invalid write: ${method}`,
          )
      // The store runs writes in the order of the calls.
      await Promise.all(writes.map(([method, args]) => callCopied(method, args)))
    },
  }
}
