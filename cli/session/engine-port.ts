import type { CancelOutcome } from '../../local/cancel.ts'
import type { PruneResult } from '../../functions/compaction/prune.ts'
import type { HomeOptions } from '../../local/serve-home.ts'
import type { DeploymentStatus } from '../../functions/step-generator/deployment-status.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import type { DeployRequest, RunningDeployment } from '../../shared/engine/request.ts'
import type { DeploymentTimeline } from '../../shared/runtime/state/state-at-time.ts'
import type { PendingNote } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { DeploymentOptions } from '../../shared/records/log.ts'
import type { PointInTime } from '../../shared/records/point-in-time.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/** What a redrive came to; `operations` are tried again. */
export type RedriveResult =
  | { readonly kind: 'none' | 'dead' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/** A call of the API. */
export interface ApiRequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
}

/** What is asked of an API instead of this machine. */
export interface RemotePrograms {
  /** Packs a program folder and sends it. Throws ARCHIVE_TOO_LARGE, and what the API says. */
  readonly upload: (
    stack: StackId,
    folder: string,
  ) => Promise<{ readonly archive: string; readonly bytes: number }>
  /** Sends bytes where the API says, which is asked at a path. */
  readonly send: (
    path: string,
    archive: { readonly archive: string; readonly bytes: Uint8Array },
  ) => Promise<void>
  /** Makes an archive the program of a stack. */
  readonly select: (stack: StackId, archive: string) => Promise<void>
  /** Asks for a deployment or preview, and tells what it tells. */
  readonly deploy: (
    stack: StackId,
    request: {
      readonly dryRun: boolean
      readonly archive: string
      readonly options: Readonly<Record<string, unknown>>
    },
    sink: EventSink,
  ) => Promise<RunningDeployment>
  /** Has whoever serves go on with an open deployment, and tells what it tells. */
  readonly resume: (stack: StackId, number: number, sink: EventSink) => Promise<RunningDeployment>
  /** Throws STACK_NOT_EMPTY without `force`, STACK_BUSY. */
  readonly removeStack: (stack: StackId, force: boolean) => Promise<void>
}

/** What the command line asks of the engine over the embedded platform, or of an API. */
export interface EnginePort {
  /** How programs are deployed elsewhere; absent: they are deployed here. */
  readonly remote?: RemotePrograms
  /** Asks what is also asked over HTTP, here or there; see docs/api.md. */
  readonly callApi: (request: ApiRequestOptions) => Promise<unknown>
  readonly platform: Platform
  /** Starts a deployment or preview. Throws STACK_BUSY with the holder's name. */
  readonly deploy: (request: DeployRequest, sink: EventSink) => Promise<RunningDeployment>
  /**
   * What the interrupted deployment of a stack was asked to do. Throws NOTHING_TO_RESUME,
   * STACK_BUSY.
   */
  readonly findInterrupted: (
    stack: StackId,
  ) => Promise<{ readonly number: number; readonly options: DeploymentOptions }>
  /** Asks a living deployment to stop, closes a dead one. */
  readonly cancel: (stack: StackId, force: boolean) => Promise<CancelOutcome>
  /** Removes what a stack that was removed leaves of schedules and notifications. */
  readonly forgetStack: (stack: StackId) => Promise<void>
  /** How the current deployment of a stack stands. */
  readonly readStatus: (stack: StackId) => Promise<DeploymentStatus>
  /** Tries again what the queue has given up of an open deployment. */
  readonly redrive: (stack: StackId) => Promise<RedriveResult>
  /**
   * Publishes what an edit makes of the state, in its sealed form. Throws STACK_BUSY and what the
   * edit throws; then nothing is published.
   */
  readonly editState: (
    stack: StackId,
    edit: {
      readonly command: 'stack import' | 'state'
      /** May be made twice. */
      readonly edit: (state: StoredDeployment) => StoredDeployment
      /** Pending operations that the edit leaves out, for the history. */
      readonly dropped?: readonly PendingNote[]
    },
  ) => Promise<{ readonly version: number }>
  /** Gives a stack another name. Throws STACK_EXISTS, STACK_BUSY, PENDING_STILL_RUNS. */
  readonly renameStack: (from: StackId, to: StackId) => Promise<void>
  /**
   * The state as the records have it now, or a published version; undefined for a stack that never
   * ran, or has no such version.
   */
  readonly exportState: (stack: StackId, version?: number) => Promise<StoredDeployment | undefined>
  /** The state at a moment. Throws MOMENT_UNKNOWN, RECORDS_REMOVED. */
  readonly exportAt: (stack: StackId, moment: PointInTime) => Promise<StoredDeployment | undefined>
  /** What is known of one deployment. Throws MOMENT_UNKNOWN. */
  readonly readTimeline: (stack: StackId, number: number) => Promise<DeploymentTimeline>
  /** Removes what was kept long enough, of one stack or of all; see `Pruned`. */
  readonly prune: (scope: {
    readonly stack?: StackId
    readonly dryRun: boolean
  }) => Promise<PruneResult>
  /** Serves until it is told to end. */
  readonly serve: (options: HomeOptions) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the embedded platform below a home folder. Throws STORE_UNAVAILABLE. */
export type OpenEngine = (options: {
  readonly home: string
  readonly verbose: boolean
}) => Promise<EnginePort>

/** Opens the API of a login instead. */
export type OpenRemoteEngine = (login: {
  readonly url: string
  readonly token: string
}) => EnginePort
