import type { EventSink } from '../shared/engine/events/event.ts'
import type { RunningDeployment } from '../shared/engine/request.ts'
import type { StackId } from '../shared/records/ids.ts'

/** A deployment that is to be started, wherever that is. */
export interface Starting {
  readonly stack: StackId
  readonly start: (dryRun: boolean, sink: EventSink) => Promise<RunningDeployment>
  /** Aborts when this process is to leave it to others: then Ctrl-C does not cancel it. */
  readonly leave?: AbortSignal | undefined
}
