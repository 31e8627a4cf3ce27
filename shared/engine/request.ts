import type { Autonaming } from '../names/automatic-name.ts'
import type { ConfigValue } from '../programs/config/open-config.ts'
import type { ProjectPlugin } from '../programs/project/project-plugins.ts'
import type { BlobHash, StackId } from '../records/ids.ts'
import type { DeploymentOptions, DeploymentResult } from '../records/log.ts'
import type { SecretsManager } from '../secrets/crypter.ts'

export type { ConfigValue }

/** The program and project of a deployment, as the project file says. */
export interface ProjectSource {
  readonly name: string
  /** The folder of the project file. */
  readonly root: string
  /** The configuration file, where it is not the one of the stack. */
  readonly configFile?: string
  /** The archive that `root` was unpacked from, where it was. */
  readonly archive?: BlobHash
  /** The folder in which the program and its plugins run. */
  readonly directory: string
  /** `.` or a file relative to `directory`. */
  readonly entryPoint: string
  /** '' = no program: only what stands in the state. */
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Plugins that the project has itself. */
  readonly plugins: readonly ProjectPlugin[]
}

/** Everything that a deployment or preview is asked with; parsed and checked. */
export interface DeployRequest {
  readonly stack: StackId
  readonly source: ProjectSource
  /** `ns:key` → value, project defaults applied. */
  readonly config: ReadonlyMap<string, ConfigValue>
  /** How resources without a name are called, where the configuration says so. */
  readonly autonaming?: Autonaming
  readonly secrets: SecretsManager
  /** Keyed digest of program and configuration, by which a resume knows them again. */
  readonly program: string
  /** The digest anew, for a later life of this process; absent: nothing can have changed. */
  readonly readProgramDigest?: () => string
  /** The request of the stack's queue that this serves, by its key; it ends with the pin. */
  readonly key?: string
  /** Preview of the command: changes nothing (I11). */
  readonly dryRun: boolean
  /** The text of an update plan to be held to. */
  readonly plan?: string
  /** A preview that draws an update plan. */
  readonly drawsPlan?: boolean
  readonly options: DeploymentOptions
  /** Go on with the deployment that was interrupted, instead of starting one. */
  readonly resume: boolean
  /**
   * How long each generator and executor may last, in ms, as on platforms whose functions have a
   * time limit; without it, until the deployment has ended.
   */
  readonly functionLimitMs?: number
  /** What waits for a debugger: `program`, `plugins`, `plugin:<name>`, `all`; absent: nothing. */
  readonly debugged?: readonly string[]
  /** Whether messages for debugging are told, too. */
  readonly debug?: boolean
  /** Aborts when this process is to leave the deployment to whoever goes on with it next. */
  readonly leave?: AbortSignal
  /** Wait for another deployment of the stack instead of failing. */
  readonly wait: boolean
  /**
   * What a person says of pending creates: those that exist, with their ids; whether the others are
   * to be forgotten.
   */
  readonly pendingCreates: {
    readonly exist: ReadonlyMap<string, string>
    readonly forget: boolean
  }
}

/** What a deployment or preview came to. The events told the details. */
export interface DeployResult {
  readonly result: DeploymentResult
  /** Operations by kind, as in the summary event. */
  readonly changes: Readonly<Record<string, number>>
  /** Whether anything but same and read happened or would happen. */
  readonly hasChanges: boolean
  /** Operations whose end nobody knows, for the last lines of the display. */
  readonly pending: readonly { readonly urn: string; readonly type: string }[]
  /** The file of the plan that a preview was to draw, where nothing was in the way. */
  readonly plan?: string
}

/** A deployment under way. */
export interface RunningDeployment {
  readonly done: Promise<DeployResult>
  /** First Ctrl-C: start nothing more, Cancel to providers, await and record what runs. */
  readonly cancel: () => void
  /** Second Ctrl-C: abandon; what runs becomes pending operations. */
  readonly terminate: () => void
}
