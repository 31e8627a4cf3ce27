import type { Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { JsonObject } from '../values/stored.ts'
import type { Extension } from './extension.ts'
import type { ImportedResource } from './import.ts'
import type { BlobHash, EpochMs, LogNumber, OperationId, WriterToken } from './ids.ts'
import type { Operation, StateReference } from './operation.ts'

/** The version of decision and fold rules that wrote a log; a deployment keeps it until closed. */
export const rulesVersion = 1

/**
 * A process that can hold something: `host` and pid with start time, so that a pid used again is
 * not mistaken.
 */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Opaque text that differs between two processes of one pid. */
  readonly started: string
  /** Who asked, for people: user and command. */
  readonly who: string
}

/** The commands that change a stack. */
export type Command = 'up' | 'refresh' | 'destroy' | 'import'

/** What a deployment was asked to do; part of its first pin, so that a resume can compare. */
export interface DeploymentOptions {
  readonly command: Command
  readonly parallel: number
  readonly refresh: boolean
  readonly continueOnError: boolean
  /**
   * Who runs its operations: the process that decides, those of `antichain serve`, or functions
   * that a queue calls.
   */
  readonly execute: 'here' | 'elsewhere' | 'functions'
  readonly message: string
  /**
   * Whether a destroy runs the program, for its hooks and providers, and whether what is refreshed
   * is read as the program has it; absent: no.
   */
  readonly runProgram?: boolean
  /** Whether a refresh compares outputs only, as older versions did; absent: no. */
  readonly legacyRefreshDiff?: boolean
  /**
   * Whether a resource with equal inputs is unchanged without a question to its provider, as in
   * older versions; absent: no.
   */
  readonly legacyDiff?: boolean
  /** What the program is told that the engine does not have; absent: nothing. */
  readonly withoutFeatures?: readonly HiddenFeature[]
  /** When deletes may begin; absent: `dataflow`. */
  readonly release?: Release
  /** Policy packs that judge it; paths relative to the project's folder, or absolute. */
  readonly policyPacks?: readonly { readonly path: string; readonly config?: string }[]
  /** The update plan that it is held to: its file, a blob. */
  readonly plan?: BlobHash
  /** The resources that it is about; absent: all. */
  readonly targeting?: Targeting
  /** Delete and replace what is protected, too. */
  readonly ignoreProtect?: boolean
  /** What `import` is to adopt. */
  readonly imports?: readonly ImportedResource[]
}

/**
 * Which resources a deployment is about: URNs, or patterns of them (`*`, `**`). Of both lists,
 * targets win. Source: docs/spec/step-generation.md#modes-and-options,
 * docs/spec/step-generation.md#targets.
 */
export interface Targeting {
  /** Only these; none: all. */
  readonly targets: readonly string[]
  /** All but these. */
  readonly excludes: readonly string[]
  /** These are replaced, changed or not. */
  readonly replaces: readonly string[]
  /** What depends on a target is one too. */
  readonly targetDependents: boolean
  /** What depends on what is left out is left out too. */
  readonly excludeDependents: boolean
  /** Protected resources, and what they stand on, are left out. */
  readonly excludeProtected: boolean
}

/** Whether a command runs the program of its stack. */
export function runsProgram({
  command,
  runProgram,
}: Pick<DeploymentOptions, 'command' | 'runProgram'>): boolean {
  return command === 'up' || runProgram === true
}

/**
 * How a deployment reads what its program registers: before it decides about it (`first`), or
 * without deciding (`only`); undefined when it reads nothing on account of the program. Source:
 * docs/spec/deployment.md#preparation.
 */
export function programRefreshModeOf(
  options: Pick<DeploymentOptions, 'command' | 'runProgram' | 'refresh'>,
): 'first' | 'only' | undefined {
  if (!isReadByProgram(options)) return undefined
  if (options.command === 'refresh') return 'only'
  return options.refresh ? 'first' : undefined
}

/**
 * Whether nothing is read before the program runs. An update that runs its program for a refresh it
 * was not asked for does without the reads that providers want before an update, too, as Pulumi's.
 */
export function isReadByProgram({
  command,
  runProgram,
}: Pick<DeploymentOptions, 'command' | 'runProgram'>): boolean {
  return runProgram === true && (command === 'up' || command === 'refresh')
}

/** A feature of the monitor that can be hidden from programs, by its name in the protocol. */
export const hiddenFeatures = ['resourceReferences', 'outputValues'] as const
export type HiddenFeature = (typeof hiddenFeatures)[number]

/**
 * When a delete may begin: once what depends on it is gone (`dataflow`), or once also the whole
 * wave before its own is over (`antichain`).
 */
export type Release = 'dataflow' | 'antichain'

/** Where the program of a deployment is found again, for who goes on with it. */
export interface ProgramPlace {
  /** The folder of the project file. */
  readonly root: string
  /** The configuration file, where it is not the one of the stack. */
  readonly configFile?: string
  /** The folder as an archive of the blob store; it is unpacked wherever it is wanted. */
  readonly archive?: BlobHash
}

/** How a deployment ended. */
export type DeploymentResult = 'succeeded' | 'failed' | 'cancelled' | 'interrupted'

/** One decision. Several are appended together as one record. */
export type Decision =
  /** A generator took the log over; the first entry of its life. */
  | { readonly kind: 'takeover'; readonly holder: Holder }
  /** The base that everything below is decided against; a later pin opens a new epoch. */
  | {
      readonly kind: 'pin'
      readonly epoch: number
      /** Version of the published snapshot that the close will replace. */
      readonly version: number
      /** The base itself: '' for a stack that never ran. */
      readonly base: BlobHash | ''
      readonly rules: number
      readonly options: DeploymentOptions
      /** Keyed digest of program and configuration: a resume must find the same. */
      readonly program: string
      readonly place: ProgramPlace
      /** What the snapshot will say of its secrets. */
      readonly secrets: { readonly type: string; readonly state: Readonly<Record<string, string>> }
      readonly inbox: readonly string[]
      /** The request that it serves, by its key; absent for one that a process asked for itself. */
      readonly request?: string
    }
  | { readonly kind: 'phase'; readonly phase: Phase }
  /** A registration or read: what it came to. `goal` is the keyed HMAC of the canonical goal. */
  | {
      readonly kind: 'registration'
      readonly urn: Urn
      readonly goal: string
      readonly operations: readonly Operation[]
      readonly sets: SetDelta
    }
  /**
   * A state that the generator itself settled, without a provider's CRUD: same, component, provider
   * resource.
   */
  | {
      readonly kind: 'settled'
      readonly operation: Operation
      /** The complete new state, sealed; absent for a removal. */
      readonly state?: StoredResource
      /** As of a registration; '' for what the program did not ask for. */
      readonly goal: string
      readonly sets: SetDelta
    }
  /** Outputs that a component or the stack registered: the whole state that results. */
  | {
      readonly kind: 'outputs'
      readonly target: StateReference
      readonly state: StoredResource
      readonly operation: OperationId
    }
  /**
   * What a function or method call of the program was answered, sealed. `key`: keyed digest of the
   * call; `at`: how many calls of that key the program had made before. Records of older versions
   * lack it: they are in the order of the answers.
   */
  | {
      readonly kind: 'answered'
      readonly key: string
      readonly at?: number
      readonly outputs: JsonObject
      readonly failures: readonly { readonly property: string; readonly reason: string }[]
      /** Of a method: what each output depends on. */
      readonly dependencies?: readonly (readonly [output: string, urns: readonly Urn[]])[]
      /** It is a method that registered resources: a later life asks it again for these. */
      readonly isAskedAgain?: boolean
    }
  /**
   * What a provider is extended by, before the first resource that needs it; `ref` names it in
   * states.
   */
  | { readonly kind: 'extension'; readonly ref: string; readonly extension: Extension }
  /**
   * Hooks of the program that were run, with what they came to: they are not run again. `hook`: the
   * moment, by its name in the state; `operation`: absent where the generator settles the resource.
   */
  | {
      readonly kind: 'hooked'
      readonly urn: Urn
      readonly hook: string
      readonly operation?: OperationId
      readonly verdict: 'succeeded' | 'failed'
      readonly error?: string
    }
  /** An error hook wants a failed call made again, as another operation that takes its place. */
  | { readonly kind: 'retried'; readonly of: OperationId; readonly operation: Operation }
  /** The program registers nothing more; its stack outputs, sealed, if it gave any. */
  | {
      readonly kind: 'program-ended'
      readonly outputs?: JsonObject
      /** Of a refresh by the program: what it did not register was read, too, and is rebuilt. */
      readonly isRefresh?: true
      /** Of such a refresh: positions in the base that the program left as they are. */
      readonly kept?: readonly number[]
      /** Resources of which the update plan had steps that did not come. */
      readonly unmet?: readonly Urn[]
    }
  /** A large plan: pages of at most 500 operations each, in blobs. */
  | {
      readonly kind: 'plan'
      readonly what: 'refresh' | 'deletes' | 'imports'
      readonly pages: readonly BlobHash[]
      readonly operations: number
    }
  /** Nothing is decided after this. */
  | { readonly kind: 'closing'; readonly result: DeploymentResult }

/**
 * Durable stages of a deployment, in this order. `stopping`: it ends early, whatever was decided;
 * its writer proves by it that the log is still its own before it raises the stop flag.
 */
export type Phase = 'refresh' | 'rebased' | 'program' | 'outputs-applied' | 'stopping'

/**
 * What a registration added to the generator's sets (docs/spec/step-generation.md#generator-state);
 * URNs.
 */
export interface SetDelta {
  readonly aliased?: readonly (readonly [old: Urn, current: Urn])[]
  readonly deleted?: readonly Urn[]
  readonly replaced?: readonly Urn[]
  /** A target, as such or by what it depends on. */
  readonly targeted?: readonly Urn[]
  /** Why dependents are replaced with what they depend on. */
  readonly dependentKeys?: readonly (readonly [urn: Urn, keys: readonly string[]])[]
}

/** One append: decisions in order, with the token of the life that wrote them. */
export interface LogRecord {
  readonly number: LogNumber
  readonly writer: WriterToken
  readonly at: EpochMs
  readonly decisions: readonly Decision[]
  /** Where the decisions are when they are larger than an item may be; they are empty then. */
  readonly decisionsBlob?: BlobHash
  /** The blobs that those decisions name. */
  readonly names?: readonly BlobHash[]
}
