import type { DocumentsPort } from '../../ports/documents.ts'
import type { ChainQueuePort, HintsPort } from '../../ports/queue.ts'
import type { LoggerPort } from '../../ports/system.ts'
import type { HolderStatusDeps } from '../../engine/deployment/ownership/holder-status.ts'
import type { TakeOverDeps } from '../../engine/deployment/ownership/take-over.ts'

/**
 * The ports with which a generator starts, continues and closes a deployment. The decisions in
 * between use `DecisionPorts`.
 */
export interface GeneratorPorts
  extends TakeOverDeps,
    Pick<HolderStatusDeps, 'isHolderAlive' | 'ownDeployments'> {
  readonly chains: ChainQueuePort
  readonly hints: HintsPort
  readonly logger: LoggerPort
  /** The rules by which stacks require approvals, and the approvals for which requests wait. */
  readonly documents: Pick<DocumentsPort, 'get' | 'putExpiring'>
}
