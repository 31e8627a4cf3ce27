import type { OperationId } from '../../records/ids.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { Base } from '../deployment/state/base.ts'
import type { RecordedEnd } from '../deployment/ends/end-watcher.ts'
import type { Pin } from '../deployment/log/log-view.ts'
import type { PlanDeps } from '../deployment/dispatch/run-plan.ts'
import type { DecisionIndex } from '../deployment/log/decision-index.ts'
import type { ChainSlots } from '../deployment/dispatch/parallel-limit.ts'
import type { CommandRun } from './command-run.ts'

/** The dependencies of a command that deploys. */
export interface CommandDeps extends PlanDeps {
  readonly run: CommandRun
  readonly nextId: () => OperationId
  readonly pin: Pin
  /** The decisions of earlier generator runs since the last pin. Undefined in the first run. */
  readonly earlierDecisions: DecisionIndex | undefined
  /** The ends that were recorded before this generator run began. */
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  /** Folds the log since its last pin. */
  readonly foldLog: () => Promise<StoredDeployment>
  /** The limit of concurrently running chains. Absent: the executors limit the chains. */
  readonly slots?: ChainSlots | undefined
  /** Called when this run pins a new base, so that other code of this process uses this base. */
  readonly onRebase: (base: Base) => void
}
