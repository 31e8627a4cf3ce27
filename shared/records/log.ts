import type { ApprovalOptions } from './approval-options.ts'
import type { ClientDecision } from './client-decision.ts'
import type { Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { JsonObject } from '../values/value-codec.ts'
import type { PackageParameterization } from './package-parameterization.ts'
import type { ImportedResource } from './imported-resource.ts'
import type { BlobHash, EpochMs, LogNumber, OperationId, WriterToken } from './ids.ts'
import type { Operation, StateReference } from './operation.ts'
import type { Targeting } from './targeting.ts'

/**
 * The current version of the decision and fold rules. The pin of a log names the version of its
 * rules. Version 2 adds the deployments of Pulumi's own client, and version 3 their numbered
 * checkpoints and reported steps. Version 4 completes a partially failed create with an update.
 */
export const rulesVersion = 4

/** A process that can hold a deployment. `started` distinguishes processes with the same pid. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Opaque text that differs between two processes with the same pid. */
  readonly started: string
  /** The user and command, for display. */
  readonly who: string
  /**
   * For a client of Pulumi, which is no process of Antichain: the time at which its lease ends by
   * the clock of the API. Each renewal is a take-over by the same holder with a later time.
   */
  readonly expiresAt?: EpochMs
}

/** The commands that change a stack. */
export type Command = 'up' | 'refresh' | 'destroy' | 'import'

/** The options of a deployment. Each pin contains them, so that a resume can compare them. */
export interface DeploymentOptions extends ApprovalOptions {
  readonly command: Command
  readonly parallel: number
  readonly refresh: boolean
  readonly continueOnError: boolean
  /**
   * The place where operations run. `here`: the deciding process. `elsewhere`: the processes of
   * `antichain serve`. `functions`: functions that a queue calls.
   */
  readonly execute: 'here' | 'elsewhere' | 'functions'
  readonly message: string
  /**
   * Whether a destroy runs the program for its hooks and providers, and whether an update or
   * refresh reads resources as the program registers them. Absent: no.
   */
  readonly runProgram?: boolean
  /** Whether a refresh compares outputs only, as in older versions. Absent: no. */
  readonly legacyRefreshDiff?: boolean
  /**
   * Whether a resource with equal inputs is unchanged without a Diff call, as in older versions.
   * Absent: no.
   */
  readonly legacyDiff?: boolean
  /** Monitor features that are hidden from the program. Absent: none. */
  readonly withoutFeatures?: readonly HiddenFeature[]
  /** When deletes may begin. Absent: `dataflow`. */
  readonly release?: DeleteRelease
  /** Policy packs of the deployment. Paths are absolute, or relative to the project's folder. */
  readonly policyPacks?: readonly { readonly path: string; readonly config?: string }[]
  /** The update plan that constrains the deployment: its file as a blob. */
  readonly plan?: BlobHash
  /** The targeted resources. Absent: all. */
  readonly targeting?: Targeting
  /** Whether protected resources may be deleted and replaced. */
  readonly ignoreProtect?: boolean
  /** The resources that `import` adopts. */
  readonly imports?: readonly ImportedResource[]
}

/** Reports whether a command runs the program of its stack. */
export function runsProgram({
  command,
  runProgram,
}: Pick<DeploymentOptions, 'command' | 'runProgram'>): boolean {
  return command === 'up' || runProgram === true
}

/**
 * Returns how a deployment refreshes the resources that its program registers: before the decision
 * (`first`), or instead of a decision (`only`). Returns undefined when the program triggers no
 * refresh. Source: docs/spec/deployment.md#preparation.
 */
export function programRefreshModeOf(
  options: Pick<DeploymentOptions, 'command' | 'runProgram' | 'refresh'>,
): 'first' | 'only' | undefined {
  if (!readsOnRegistration(options)) return undefined
  if (options.command === 'refresh') return 'only'
  return options.refresh ? 'first' : undefined
}

/**
 * Reports whether `runProgram` lets an update or refresh read resources only as the program
 * registers them. An update without `refresh` then also skips the reads that providers request
 * before an update, as in Pulumi.
 */
export function readsOnRegistration({
  command,
  runProgram,
}: Pick<DeploymentOptions, 'command' | 'runProgram'>): boolean {
  return runProgram === true && (command === 'up' || command === 'refresh')
}

/** Features of the monitor that can be hidden from programs, by their protocol names. */
export const hiddenFeatures = ['resourceReferences', 'outputValues'] as const
export type HiddenFeature = (typeof hiddenFeatures)[number]

/**
 * When a delete may begin: after its dependents are gone (`dataflow`), or after the whole previous
 * wave has ended as well (`antichain`).
 */
export type DeleteRelease = 'dataflow' | 'antichain'

/** The location of a deployment's program, for generators that resume the deployment. */
export interface ProgramLocation {
  /** The folder of the project file. */
  readonly root: string
  /** The configuration file, if it is not the one of the stack. */
  readonly configFile?: string
  /** The folder as an archive in the blob store. It is unpacked where it is needed. */
  readonly archive?: BlobHash
}

/** The result of a deployment. */
export type DeploymentResult = 'succeeded' | 'failed' | 'cancelled' | 'interrupted'

/** The epoch that the first pin of a deployment opens. */
export const firstEpoch = 1

/** A decision. Several are appended together in one record. */
export type Decision =
  /** A generator took over the log. Each generator run begins with this decision. */
  | { readonly kind: 'takeover'; readonly holder: Holder }
  /** The base of all following decisions. A later pin opens a new epoch. */
  | {
      readonly kind: 'pin'
      readonly epoch: number
      /** Version of the published snapshot that the close replaces. */
      readonly version: number
      /** The blob with the base; '' for a new stack. */
      readonly base: BlobHash | ''
      /** The published snapshot. Only set in a targeted deployment that can run beside others. */
      readonly published?: BlobHash | ''
      readonly rules: number
      readonly options: DeploymentOptions
      /** Keyed digest of program and configuration. A resume requires the same digest. */
      readonly program: string
      readonly place: ProgramLocation
      /** The secrets manager of the resulting snapshot. */
      readonly secrets: { readonly type: string; readonly state: Readonly<Record<string, string>> }
      /** The keys of the late outcomes that the base contains. */
      readonly inbox: readonly string[]
      /** The key of the served request. Absent when a command started the deployment. */
      readonly request?: string
      /**
       * For a deployment of Pulumi's own client: the id of its update. Such a log has no
       * operations, and is never resumed. Absent for a deployment of this engine.
       */
      readonly client?: { readonly update: string }
      /** The `traceparent` from which processes derive spans. Absent without telemetry. */
      readonly trace?: string
    }
  | ClientDecision
  /** The deployment entered a phase. */
  | { readonly kind: 'phase'; readonly phase: Phase }
  /** The result of a registration or read. `goal` is the keyed HMAC of the canonical goal. */
  | {
      readonly kind: 'registration'
      readonly urn: Urn
      readonly goal: string
      readonly operations: readonly Operation[]
      readonly sets: RecordedSetsDelta
    }
  /**
   * A state that the generator settled itself, without a provider's CRUD call: same, component,
   * provider resource.
   */
  | {
      readonly kind: 'settled'
      readonly operation: Operation
      /** The complete new state, sealed; absent for a removal. */
      readonly state?: StoredResource
      /** The keyed HMAC of the canonical goal; '' if the program did not request the state. */
      readonly goal: string
      readonly sets: RecordedSetsDelta
    }
  /** A complete state with registered outputs. `operation`: a new id, which no executor runs. */
  | {
      readonly kind: 'outputs'
      readonly target: StateReference
      readonly state: StoredResource
      readonly operation: OperationId
    }
  /**
   * The sealed result of a function or method call of the program. `key`: keyed digest of the call.
   * `at`: the number of earlier calls with that key. Records of older versions lack `at`: there,
   * the order of the records with that key gives the number.
   */
  | {
      readonly kind: 'answered'
      readonly key: string
      readonly at?: number
      readonly outputs: JsonObject
      readonly failures: readonly { readonly property: string; readonly reason: string }[]
      /** For a method: the dependencies of each output. */
      readonly dependencies?: readonly (readonly [output: string, urns: readonly Urn[]])[]
      /**
       * Set for a method that sent requests to the monitor: a later generator run calls the method
       * again, so that it registers its resources.
       */
      readonly isAskedAgain?: boolean
    }
  /**
   * The extension of a provider, recorded before the first resource that needs it. `ref` is the
   * name of the extension in states.
   */
  | {
      readonly kind: 'extension'
      readonly ref: string
      readonly extension: PackageParameterization
    }
  /**
   * The result of hooks, recorded so that the hooks do not run again. `hook`: the hook type, by its
   * name in the state. `operation`: absent when the generator settles the resource.
   */
  | {
      readonly kind: 'hooked'
      readonly urn: Urn
      readonly hook: string
      readonly operation?: OperationId
      readonly verdict: 'succeeded' | 'failed'
      readonly error?: string
    }
  /** An error hook requested a retry of a failed call, as a new operation that replaces it. */
  | { readonly kind: 'retried'; readonly of: OperationId; readonly operation: Operation }
  /** The program has registered everything. Contains its sealed stack outputs, if it set any. */
  | {
      readonly kind: 'program-ended'
      readonly outputs?: JsonObject
      /**
       * Set for a refresh that runs the program. Resources that the program did not register were
       * read too, and the fold rebuilds their references.
       */
      readonly isRefresh?: true
      /**
       * For a refresh that runs the program: unchanged resources, by their positions in the base.
       * The fold keeps their empty lists of property dependencies.
       */
      readonly kept?: readonly number[]
      /** Resources with steps in the update plan that did not occur. */
      readonly unmet?: readonly Urn[]
    }
  /** A large plan, in pages of at most 500 operations, stored as blobs. */
  | {
      readonly kind: 'plan'
      readonly what: 'refresh' | 'deletes' | 'imports'
      readonly pages: readonly BlobHash[]
      readonly operations: number
    }
  /** No decision follows this one. */
  | { readonly kind: 'closing'; readonly result: DeploymentResult }

/**
 * Durable phases of a deployment. The first four occur in this order, if at all. `rebased`: the
 * refreshed states become the base. `stopping`: the deployment ends early. This phase can follow
 * any other one.
 */
export type Phase = 'refresh' | 'rebased' | 'program' | 'outputs-applied' | 'stopping'

/**
 * URNs that a registration added to the generator's sets
 * (docs/spec/step-generation.md#generator-state).
 */
export interface RecordedSetsDelta {
  readonly aliased?: readonly (readonly [old: Urn, current: Urn])[]
  readonly deleted?: readonly Urn[]
  readonly replaced?: readonly Urn[]
  /** Registered targets: specified by the user, or dependents of targets. */
  readonly targeted?: readonly Urn[]
  /** The property keys that cause dependents to be replaced together with a dependency. */
  readonly dependentKeys?: readonly (readonly [urn: Urn, keys: readonly string[]])[]
}

/** One append: decisions in order, with the token of the generator run that wrote them. */
export interface LogRecord {
  readonly number: LogNumber
  readonly writer: WriterToken
  readonly at: EpochMs
  readonly decisions: readonly Decision[]
  /** The blob with the decisions, if they are too large for a record. `decisions` is then empty. */
  readonly decisionsBlob?: BlobHash
  /** The blobs that the decisions in `decisionsBlob` reference. */
  readonly names?: readonly BlobHash[]
}
