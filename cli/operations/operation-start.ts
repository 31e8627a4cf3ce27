import type { EventSink } from '../../shared/engine/events/event.ts'
import type { RunningDeployment } from '../../shared/engine/request.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'

/** A deployment that is to be started, wherever that is. */
export interface OperationStart {
  readonly stack: StackId
  /** `plan`: the text of a plan to be held to, instead of the one of the options. */
  readonly start: (dryRun: boolean, sink: EventSink, plan?: string) => Promise<RunningDeployment>
  /** Aborts when this process is to leave it to others: then Ctrl-C does not cancel it. */
  readonly leave?: AbortSignal | undefined
}

/** An open deployment that is to be gone on with, wherever that is. */
export interface ResumeStart {
  readonly number: number
  readonly command: Command
  readonly start: OperationStart['start']
}
