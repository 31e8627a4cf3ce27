import type { RetentionPort } from '../../ports/retention.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/** Creates the removal of records and versions over the embedded store. */
export function createRetention(call: StoreCall): RetentionPort {
  return {
    listDeployments: () => call('retention.deployments', {}),
    removeRecords: (deployment, recordsMax) =>
      call('retention.removeRecords', { deployment, rows: recordsMax }),
    removeVersions: async (stack, throughVersion) =>
      void (await call('retention.removeVersions', { stack, through: throughVersion })),
    // The removal of a stack also deletes its inbox and the durations of its slow operations.
    removeLeftovers: async () => undefined,
    listReferences: async cursor => {
      const { hashes, next } = await call('retention.references', { cursor })
      return { hashes, next: next ?? undefined }
    },
  }
}
