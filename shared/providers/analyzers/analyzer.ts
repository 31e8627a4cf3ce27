/**
 * analyzers: policy packs, as processes that check resources. Imports plugins, programs and the
 * layers below.
 *
 * `Analyzer` is the narrow interface to one configured pack; `analyzer-driver.ts` implements it
 * over pulumirpc. A failed call rejects with the pack's own message. If a pack does not implement
 * `remediate` or `analyzeStack`, the result of that call is empty.
 */
import type { Urn } from '../../names/urn.ts'
import type { CustomTimeouts } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'

/** The enforcement level of a policy. */
export type Enforcement = 'advisory' | 'mandatory' | 'disabled' | 'remediate'

/** The severity of a violation, '' when unspecified. */
export type Severity = '' | 'low' | 'medium' | 'high' | 'critical'

/** The pack's description of one of its policies. */
export interface PolicyInfo {
  readonly name: string
  readonly enforcement: Enforcement
  /** `unknown`: the SDK of the pack is too old to report the kind. */
  readonly kind: 'unknown' | 'resource' | 'stack'
  readonly severity: Severity
  /** JSON schemas of its configuration by property, and the required properties. */
  readonly schema: {
    readonly properties: Readonly<Record<string, unknown>>
    readonly required: readonly string[]
  }
}

/** The configuration of one policy. The enforcement '' keeps the policy's enforcement level. */
export interface PolicySettings {
  readonly enforcement: Enforcement | ''
  readonly properties: Readonly<Record<string, unknown>>
}

/** The pack's description of itself. */
export interface PackInfo {
  readonly name: string
  readonly version: string
  readonly takesSettings: boolean
  readonly policies: readonly PolicyInfo[]
  /** Settings from the pack's own program. */
  readonly settings: ReadonlyMap<string, PolicySettings>
}

/** A provider resource as packs see it. */
export interface AnalyzedProvider {
  readonly urn: Urn
  readonly type: string
  readonly name: string
  readonly properties: PropertyMap
}

/**
 * A resource as packs see it. `properties` are its inputs in an analysis before its step, and its
 * outputs in the analysis of the whole stack.
 */
export interface AnalyzedResource extends AnalyzedProvider {
  readonly options: {
    readonly protect: boolean
    readonly ignoreChanges: readonly string[]
    readonly deleteBeforeReplace: boolean | undefined
    readonly additionalSecretOutputs: readonly string[]
    readonly aliases: readonly string[]
    readonly customTimeouts: CustomTimeouts
    readonly parent: string
  }
  readonly provider: AnalyzedProvider | undefined
}

/** A resource in the analysis of a whole stack, with its dependencies. */
export interface AnalyzedStackResource extends AnalyzedResource {
  readonly dependencies: readonly string[]
  readonly propertyDependencies: ReadonlyMap<string, readonly string[]>
}

/** The names that identify a policy in events. */
export interface PolicyName {
  readonly policy: string
  readonly pack: string
  readonly version: string
}

/** A violation of a policy. */
export interface Violation extends PolicyName {
  readonly message: string
  readonly enforcement: Enforcement
  /** The affected resource, '' for the analyzed one. */
  readonly urn: string
  readonly severity: Severity
}

/**
 * The properties that a policy sets on a resource. A remediation with a diagnostic changes no
 * properties.
 */
export interface Remediation extends PolicyName {
  readonly properties: PropertyMap
  readonly diagnostic: string
}

/** The result of an analysis: violations, and the names of policies that do not apply. */
export interface Analysis {
  readonly violations: readonly Violation[]
  readonly notApplicable: readonly string[]
}

/** A configured policy pack. */
export interface Analyzer {
  readonly info: PackInfo
  /** The path with which the user requested the pack. */
  readonly path: string
  readonly analyze: (resource: AnalyzedResource) => Promise<Analysis>
  readonly remediate: (resource: AnalyzedResource) => Promise<{
    readonly remediations: readonly Remediation[]
    readonly notApplicable: readonly string[]
  }>
  readonly analyzeStack: (resources: readonly AnalyzedStackResource[]) => Promise<Analysis>
  /** Requests the end of running calls. Never rejects. */
  readonly cancel: () => Promise<void>
  /** Ends the process of the pack. Never rejects. */
  readonly close: () => Promise<void>
}

/** A requested policy pack. Relative paths begin at the project's folder. */
export interface PolicyPackLocation {
  /** The name for messages. Default: the path. */
  readonly name?: string
  /** A folder with PulumiPolicy.yaml, or the executable of an analyzer. */
  readonly path: string
  /** The path of a JSON file with settings of the pack's policies. */
  readonly config?: string
}

/** Starts policy packs. */
export interface AnalyzerHost {
  /**
   * Starts and configures packs concurrently, and returns them in the order of `packs`. After a
   * failure no pack is left running. Throws POLICY_PACK_FAILED.
   */
  readonly load: (packs: readonly PolicyPackLocation[]) => Promise<readonly Analyzer[]>
  /** Requests the end of all running calls. */
  readonly cancelAll: () => Promise<void>
  readonly close: () => Promise<void>
}
