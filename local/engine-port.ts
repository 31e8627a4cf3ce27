import type { CancelResult } from './cancel-deployment.ts'
import type { PruneResult } from '../functions/compaction/prune.ts'
import type { HomeOptions } from './serve-home.ts'
import type { DeploymentStatus } from '../functions/step-generator/deployment-status.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import type { DeployInput, RunningDeployment } from '../shared/engine/request.ts'
import type { RecordedCourse } from '../shared/runtime/forecast/read-course.ts'
import type { DeploymentTimeline } from '../shared/runtime/state/state-at-time.ts'
import type { FindProjects, LayoutUpgrade } from '../shared/platform/backend/upgrade-layout.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { DeploymentOptions } from '../shared/records/log.ts'
import type { PointInTime } from '../shared/records/point-in-time.ts'
import type { HistoryRecord } from '../shared/ports/catalog.ts'
import type { DeploymentCost } from '../shared/records/deployment-cost.ts'
import type { DeploymentId, BlobHash, StackId } from '../shared/records/ids.ts'
import type { EditEnd } from '../shared/records/stack-request.ts'
import type { SecretsManager } from '../shared/secrets/crypter.ts'
import type { StateEdit } from '../shared/state/edits/state-edit.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'

/**
 * The result of a redrive. `none`: the stack has no unfinished deployment. `dead`: the process of a
 * deployment is gone. `stopped`: a deployment was stopped. `nothing`: there is no dead letter, or
 * all operations of the dead letters have ended. `sent`: the messages were sent again.
 * `operations`: the number of their operations without an end.
 */
export type RedriveResult =
  | { readonly kind: 'none' | 'dead' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/** A call of the API. */
export interface ApiRequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Headers for a remote API. A call in this process has none. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The calls to the API of a server that runs the deployments. */
export interface RemoteApi {
  /**
   * Packs and uploads a program folder. Returns the SHA-256 that names the archive, and its size.
   * Throws ARCHIVE_TOO_LARGE, and the errors of the API.
   */
  readonly upload: (
    stack: StackId,
    folder: string,
  ) => Promise<{ readonly archive: string; readonly sizeBytes: number }>
  /** Requests an upload address at a route of the API, and uploads an archive to it. */
  readonly uploadArchive: (
    path: string,
    archive: { readonly archive: string; readonly bytes: Uint8Array },
  ) => Promise<void>
  /** Selects an uploaded archive as the program of a stack. */
  readonly setProgram: (stack: StackId, archive: string) => Promise<void>
  /** Requests a deployment or preview, and emits its events. */
  readonly deploy: (
    stack: StackId,
    request: {
      readonly dryRun: boolean
      readonly archive: string
      readonly options: Readonly<Record<string, unknown>>
    },
    sink: EventSink,
  ) => Promise<RunningDeployment>
  /** Requests that the server resumes an interrupted deployment, and emits its events. */
  readonly resume: (stack: StackId, number: number, sink: EventSink) => Promise<RunningDeployment>
  /** Removes a stack. Throws STACK_NOT_EMPTY without `force`, STACK_BUSY. */
  readonly removeStack: (stack: StackId, force: boolean) => Promise<void>
}

/** The engine of the command line, over the embedded platform or an API. */
export interface EnginePort {
  /** The API that deploys programs. Absent: programs are deployed on this machine. */
  readonly remote?: RemoteApi
  /** Calls a route of the HTTP API, in this process or remotely; see docs/api.md. */
  readonly callApi: (request: ApiRequestOptions) => Promise<unknown>
  readonly platform: Platform
  /**
   * Starts to load the code of deployments, so that it is loaded while the caller waits for
   * something else. A failure appears when a deployment starts.
   */
  readonly preload: () => void
  /** Starts to connect to the store, for a command that will write. */
  readonly startConnecting: () => void
  /**
   * Starts or resumes a deployment, or starts a preview. Throws STACK_BUSY with the holder's name.
   */
  readonly deploy: (request: DeployInput, sink: EventSink) => Promise<RunningDeployment>
  /**
   * Returns id, number and options of a stack's interrupted deployment: that with `wantedNumber`,
   * or the oldest one. Throws NOTHING_TO_RESUME, STACK_BUSY.
   */
  readonly findInterrupted: (
    stack: StackId,
    wantedNumber?: number,
  ) => Promise<{
    readonly deployment: DeploymentId
    readonly number: number
    readonly options: DeploymentOptions
  }>
  /**
   * Stops a deployment whose process is alive, or closes one whose process is dead. `force`
   * abandons running operations. `number` selects one of several deployments. Throws
   * DEPLOYMENT_AMBIGUOUS for several without `number`.
   */
  readonly cancel: (
    stack: StackId,
    options: { readonly force: boolean; readonly number?: number },
  ) => Promise<CancelResult>
  /** Removes the schedules, notifications and settings of a removed stack. */
  readonly forgetStack: (stack: StackId) => Promise<void>
  /** Returns the status of a stack's current deployment. */
  readonly readStatus: (stack: StackId) => Promise<DeploymentStatus>
  /** Sends the dead letters of the open deployments again. */
  readonly redrive: (stack: StackId) => Promise<RedriveResult>
  /** Stores a sealed state. Returns the name by which an edit of the stack refers to it. */
  readonly putState: (stack: StackId, state: StoredDeployment) => Promise<BlobHash>
  /**
   * Publishes the first state of a new stack, which names the secrets manager. Absent where a new
   * stack has no state: without a self-managed backend.
   */
  readonly publishFirstState?: (
    stack: StackId,
    manager: Pick<SecretsManager, 'type' | 'state'>,
  ) => Promise<void>
  /**
   * Returns the id of the stack with this name. Its project is that of the stack's resources, or
   * else `project`. Present only for a backend with the legacy layout, whose stacks have no
   * projects.
   */
  readonly findLegacyStack?: (stack: string, project?: string) => Promise<StackId | undefined>
  /** Lists the stacks of the legacy layout. Absent without a self-managed backend. */
  readonly listLegacyStacks?: () => Promise<readonly string[]>
  /**
   * Moves the stacks of the legacy layout to the layout with projects. Absent without a
   * self-managed backend.
   */
  readonly upgradeLayout?: (findProjects: FindProjects) => Promise<LayoutUpgrade>
  /**
   * Publishes an edit of the state. Throws STACK_BUSY and the errors of the edit. After one of
   * these errors nothing is published.
   */
  readonly editState: (stack: StackId, edit: StateEdit) => Promise<EditEnd>
  /** Renames a stack. Throws STACK_EXISTS, STACK_BUSY, PENDING_STILL_RUNS. */
  readonly renameStack: (from: StackId, to: StackId) => Promise<void>
  /**
   * Returns the current state from the records, or a published version. Undefined for a stack
   * without a deployment, or without that version.
   */
  readonly exportState: (stack: StackId, version?: number) => Promise<StoredDeployment | undefined>
  /**
   * Opens the secrets manager `service` of a stack's state, whose keys are in this home folder.
   * Undefined when the stack has no such keys here. Absent for an engine over an API.
   */
  readonly openServiceManager?: (
    stack: StackId,
    managerState: unknown,
  ) => Promise<SecretsManager | undefined>
  /** Returns the state at a point in time. Throws MOMENT_UNKNOWN, RECORDS_REMOVED. */
  readonly exportStateAt: (
    stack: StackId,
    pointInTime: PointInTime,
  ) => Promise<StoredDeployment | undefined>
  /** Returns the timeline of one deployment. Throws MOMENT_UNKNOWN. */
  readonly readTimeline: (stack: StackId, number: number) => Promise<DeploymentTimeline>
  /** Returns the course of one deployment. Throws MOMENT_UNKNOWN. */
  readonly readCourse: (stack: StackId, number: number) => Promise<RecordedCourse>
  /** Returns the cost of one deployment on AWS. Throws DEPLOYMENT_UNKNOWN. */
  readonly readCost: (stack: StackId, number: number) => Promise<RecordedCost>
  /** Removes old records of one stack or of all; see `PruneResult`. */
  readonly prune: (scope: {
    readonly stack?: StackId
    readonly dryRun: boolean
  }) => Promise<PruneResult>
  /** Serves the home folder until the signal `shutdown` aborts. */
  readonly serve: (options: HomeOptions) => Promise<void>
  readonly close: () => Promise<void>
}

/** The cost of a deployment in the history. */
export interface RecordedCost {
  readonly record: HistoryRecord
  readonly cost: DeploymentCost
}

/** The options of an engine on this machine. */
export interface EngineOptions {
  readonly home: string
  readonly verbose: boolean
  /**
   * The self-managed backend that has the states, and the folder to which its address is relative.
   * Absent: the store of this machine has the states.
   */
  readonly backend?: { readonly address: string; readonly cwd: string }
}

/**
 * Opens the embedded platform below a home folder, alone or over a self-managed backend. Throws
 * STORE_UNAVAILABLE, and the errors of the backend.
 */
export type OpenEngine = (options: EngineOptions) => Promise<EnginePort>

/** Opens the engine over the API of a login. */
export type OpenRemoteEngine = (login: {
  readonly url: string
  readonly token: string
  readonly group?: string | undefined
}) => EnginePort
