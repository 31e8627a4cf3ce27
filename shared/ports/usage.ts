import type { DeploymentId } from '../records/ids.ts'
import type { UsageRecord } from '../records/usage.ts'

/** The counted usage of deployments, in the journal. Retention removes it with the journal. */
export interface UsagePort {
  /**
   * Stores the usage so far of one call of a function, or of one round of a long-pool task. In a
   * round, the task receives and serves waiting messages. Replaces the earlier record of the same
   * call or round.
   */
  readonly put: (deployment: DeploymentId, record: UsageRecord) => Promise<void>
  /** Returns the records of a deployment. */
  readonly list: (deployment: DeploymentId) => Promise<readonly UsageRecord[]>
}
