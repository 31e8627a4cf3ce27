import type { EventSink } from '../shared/engine/events/event.ts'
import type { DeployRequest, RunningDeployment } from '../shared/engine/request.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { DeploymentOptions } from '../shared/records/log.ts'
import type { StackId } from '../shared/records/ids.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'

/** What a cancel came to: there was nothing, a dead deployment was closed, a living one asked. */
export type CancelOutcome = 'none' | 'closed' | 'asked'

/** What a redrive came to; `operations` are tried again. */
export type RedriveOutcome =
  | { readonly kind: 'none' | 'dead' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/** What the command line asks of the engine over the embedded platform. */
export interface Local {
  readonly platform: Platform
  /** Starts a deployment or preview. Throws STACK_BUSY with the holder's name. */
  readonly deploy: (request: DeployRequest, sink: EventSink) => Promise<RunningDeployment>
  /**
   * What the interrupted deployment of a stack was asked to do. Throws NOTHING_TO_RESUME,
   * STACK_BUSY.
   */
  readonly interrupted: (
    stack: StackId,
  ) => Promise<{ readonly number: number; readonly options: DeploymentOptions }>
  /** Asks a living deployment to stop, closes a dead one. */
  readonly cancel: (stack: StackId) => Promise<CancelOutcome>
  /** Tries again what the queue has given up of an open deployment. */
  readonly redrive: (stack: StackId) => Promise<RedriveOutcome>
  /**
   * Publishes what an edit makes of the state, in its sealed form. Throws STACK_BUSY and what the
   * edit throws; then nothing is published.
   */
  readonly editState: (
    stack: StackId,
    edit: {
      readonly command: 'stack import' | 'state'
      readonly edit: (state: StoredDeployment) => StoredDeployment
    },
  ) => Promise<{ readonly version: number }>
  /**
   * The state as the records have it now, or a published version; undefined for a stack that never
   * ran, or has no such version.
   */
  readonly exportState: (stack: StackId, version?: number) => Promise<StoredDeployment | undefined>
  readonly close: () => Promise<void>
}

/** Opens the embedded platform below a home folder. Throws STORE_UNAVAILABLE. */
export type OpenLocal = (options: {
  readonly home: string
  readonly verbose: boolean
}) => Promise<Local>
