import type { OperationId } from '../../records/ids.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { Base } from '../deployment/base.ts'
import type { RecordedEnd } from '../deployment/end-watcher.ts'
import type { Pin } from '../deployment/log-view.ts'
import type { PlanDeps } from '../deployment/plan-run.ts'
import type { Recorded } from '../deployment/recorded.ts'
import type { Slots } from '../deployment/slots.ts'
import type { Life } from './life.ts'

/** What a deployment's command has at hand. */
export interface CommandDeps extends PlanDeps {
  readonly life: Life
  readonly nextId: () => OperationId
  readonly pin: Pin
  /** What earlier lives decided since the last pin; undefined in the first. */
  readonly recorded: Recorded | undefined
  /** The ends that stood when this life began. */
  readonly before: ReadonlyMap<OperationId, RecordedEnd>
  /** The fold of what the log has since its last pin. */
  readonly foldNow: () => Promise<StoredDeployment>
  /** What bounds the chains in flight; executors do where it is absent. */
  readonly slots?: Slots | undefined
  /** Tells others of this process which base is pinned now. */
  readonly rebase: (base: Base) => void
}
