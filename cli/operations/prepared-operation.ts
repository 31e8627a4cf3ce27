import type { EventSink } from '../../shared/engine/events/event.ts'
import type { RunningDeployment } from '../../shared/engine/request.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'

/** A prepared operation, which starts on this machine or through an API. */
export interface PreparedOperation {
  readonly stack: StackId
  /** Whether the operation refreshes the resources before other changes. Absent: no. */
  readonly refreshesFirst?: boolean | undefined
  /**
   * Starts the deployment or its preview. `updatePlan`: the text of an update plan that constrains
   * the deployment, instead of the plan of --plan.
   */
  readonly start: (
    dryRun: boolean,
    sink: EventSink,
    updatePlan?: string,
  ) => Promise<RunningDeployment>
  /**
   * Aborts when this process must leave the deployment to other processes. If present, Ctrl-C does
   * not cancel the deployment.
   */
  readonly handOverSignal?: AbortSignal | undefined
}

/** An interrupted deployment, which resumes on this machine or through an API. */
export interface PreparedResume {
  readonly number: number
  readonly command: Command
  /**
   * Whether earlier deployments show how long the remaining operations take: all resources are
   * selected, and the time at which the last operation ended is known.
   */
  readonly isComparable: boolean
  readonly start: PreparedOperation['start']
}
