import type { OperationId } from '../../records/ids.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { Base } from '../deployment/state/base.ts'
import type { RecordedEnd } from '../deployment/ends/end-watcher.ts'
import type { Pin } from '../deployment/log/log-view.ts'
import type { PlanDeps } from '../deployment/dispatch/run-plan.ts'
import type { DecisionIndex } from '../deployment/log/decision-index.ts'
import type { Slots } from '../deployment/dispatch/slots.ts'
import type { CommandRun } from './command-run.ts'

/** What a deployment's command has at hand. */
export interface CommandDeps extends PlanDeps {
  readonly run: CommandRun
  readonly nextId: () => OperationId
  readonly pin: Pin
  /** What earlier lives decided since the last pin; undefined in the first. */
  readonly recorded: DecisionIndex | undefined
  /** The ends that stood when this life began. */
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  /** The fold of what the log has since its last pin. */
  readonly foldLog: () => Promise<StoredDeployment>
  /** What bounds the chains in flight; executors do where it is absent. */
  readonly slots?: Slots | undefined
  /** Tells others of this process which base is pinned now. */
  readonly onRebase: (base: Base) => void
}
