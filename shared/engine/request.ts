import type { Autonaming } from '../names/propose-name.ts'
import type { CallLimitRule } from '../programs/config/call-limit-rules.ts'
import type { ConfigValue } from '../programs/config/open-config.ts'
import type { ProjectPlugin } from '../programs/project/project-plugins.ts'
import type { PolicyPackLocation } from '../providers/analyzers/analyzer.ts'
import type { Forecast } from '../records/forecast.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'
import type { DeploymentOptions, DeploymentResult } from '../records/log.ts'
import type { SecretsManager } from '../secrets/crypter.ts'
import type { Json, StoredDeployment } from '../state/stored.ts'

export type { ConfigValue }

/** The program and project of a deployment, from the project file. */
export interface ProjectSource {
  readonly name: string
  /** The folder of the project file. */
  readonly projectFolder: string
  /** The file of `--config-file`. Absent: the stack's own configuration file. */
  readonly configFile?: string
  /** The archive from which `projectFolder` was unpacked, if any. */
  readonly archive?: BlobHash
  /** The folder in which the program and its plugins run. */
  readonly programFolder: string
  /** `.` or a file relative to `programFolder`. */
  readonly entryPoint: string
  /** '': there is no program, and the command works only on the resources in the state. */
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Plugins that the project file specifies. */
  readonly plugins: readonly ProjectPlugin[]
}

/**
 * The parsed and validated input of a deployment or preview, from flags or from a queued request
 * (`DeploymentRequest`).
 */
export interface DeployInput {
  readonly stack: StackId
  readonly source: ProjectSource
  /** `ns:key` → value, with project defaults. */
  readonly config: ReadonlyMap<string, ConfigValue>
  /**
   * Only for a preview of an unreviewed program: the configuration of the stack's last deployed
   * program. The role of the preview comes from this configuration, not from `config`: an
   * unreviewed program must not choose its role.
   */
  readonly reviewedConfig?: ReadonlyMap<string, ConfigValue>
  /** The rules for automatic names, if the configuration has any. */
  readonly autonaming?: Autonaming
  /** The rules that limit calls of providers. Absent: none. */
  readonly callLimits?: readonly CallLimitRule[]
  /** The secrets manager of the stack file. It encrypts all secrets that the deployment writes. */
  readonly secrets: SecretsManager
  /**
   * Opens the secrets manager that a state names. Only called for a state whose secrets manager is
   * not `secrets`.
   */
  readonly openStateSecrets?: (state: StoredDeployment) => Promise<SecretsManager | undefined>
  /** The configuration as the history records it, with encrypted secrets. Absent: not recorded. */
  readonly recordedConfig?: Readonly<Record<string, Json>>
  /**
   * Keyed digest of program and configuration. A resume compares the digest with the recorded one.
   */
  readonly programDigest: string
  /**
   * Computes `programDigest` again, for a later generator run of this process. Absent if the
   * program cannot change.
   */
  readonly readProgramDigest?: () => string
  /**
   * The key of the queued request that this deployment serves. The queued request ends when the pin
   * is durable (docs/decisions/0016-a-request-ends-with-the-pin.md).
   */
  readonly key?: string
  /** The requester, for the history. */
  readonly by?: string
  /** Whether this is a preview of the command, which changes nothing (I11). */
  readonly dryRun: boolean
  /** The text of the update plan that constrains the deployment. */
  readonly updatePlan?: string
  /** Whether the preview drafts an update plan. */
  readonly draftsUpdatePlan?: boolean
  readonly options: DeploymentOptions
  /** The policy packs that an administrator attached. Unlike options, no client can omit them. */
  readonly attachedPolicyPacks?: readonly PolicyPackLocation[]
  /** Whether to continue the interrupted deployment instead of starting a new one. */
  readonly resume: boolean
  /** The deployment to continue. Absent: the oldest interrupted one of the stack. */
  readonly resumedDeployment?: DeploymentId
  /**
   * Time limit of each generator and executor, in ms, as on platforms with time-limited functions.
   * Absent: no limit.
   */
  readonly functionLimitMs?: number
  /**
   * Processes that wait for a debugger: `program`, `plugins`, `plugin:<name>`, `all`. Absent: none.
   */
  readonly debuggedProcesses?: readonly string[]
  /** Whether debug messages are reported too. */
  readonly debug?: boolean
  /** Aborts when this process must hand the deployment over to the next generator run. */
  readonly handOverSignal?: AbortSignal
  /** Whether to wait for another deployment of the stack instead of failing. */
  readonly wait: boolean
  /**
   * The user's answers about pending creates: the ids of existing resources by URN, and whether all
   * other pending creates are cleared.
   */
  readonly pendingCreates: {
    readonly existingIds: ReadonlyMap<string, string>
    readonly mustClearOthers: boolean
  }
}

/** The result of a deployment or preview. Events contain the details. */
export interface DeployResult {
  readonly result: DeploymentResult
  /** Number of operations by kind, as in the summary event. */
  readonly changes: Readonly<Record<string, number>>
  /** Whether any operation was, or would be, a change (`isChange` in change-counts.ts). */
  readonly hasChanges: boolean
  /** Operations whose end is unknown, for the last lines of the display. */
  readonly pending: readonly { readonly urn: string; readonly type: string }[]
  /**
   * The text of the drafted update plan. Absent if no update plan was requested, or if the preview
   * did not succeed.
   */
  readonly updatePlan?: string
  /** The expected course of the previewed steps. Absent for a deployment. */
  readonly forecast?: Forecast
}

/** A running deployment. */
export interface RunningDeployment {
  readonly done: Promise<DeployResult>
  /**
   * The time at which the last operation ended before this process resumed the deployment. Absent
   * for a new deployment, before the first end, and for a deployment of another process.
   */
  readonly lastEndAt?: EpochMs
  /**
   * First Ctrl-C: stops the deployment and sends Cancel to providers. Running operations continue
   * to their end, and are recorded.
   */
  readonly cancel: () => void
  /**
   * Second Ctrl-C: abandons the deployment. Running operations, except refreshes, become pending
   * operations.
   */
  readonly terminate: () => void
}
