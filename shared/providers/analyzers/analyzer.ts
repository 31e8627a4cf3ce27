/**
 * analyzers: policy packs, as processes that judge resources. Imports ports and below.
 *
 * `Analyzer` is our narrow interface to one configured pack; `driver.ts` implements it over
 * pulumirpc. A call that fails rejects with the pack's own sentence; a pack that lacks a method has
 * nothing to say.
 */
import type { Urn } from '../../names/urn.ts'
import type { CustomTimeouts } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'

/** How strictly a policy is meant. */
export type Enforcement = 'advisory' | 'mandatory' | 'disabled' | 'remediate'

/** How bad a violation is, '' where nobody says. */
export type Severity = '' | 'low' | 'medium' | 'high' | 'critical'

/** What a pack says of one of its policies. */
export interface PolicyInfo {
  readonly name: string
  readonly enforcement: Enforcement
  /** `unknown`: the pack's SDK is too old to say. */
  readonly kind: 'unknown' | 'resource' | 'stack'
  readonly severity: Severity
  /** JSON schemas of its configuration by property, and the properties that must be there. */
  readonly schema: {
    readonly properties: Readonly<Record<string, unknown>>
    readonly required: readonly string[]
  }
}

/** Configuration of one policy; '' leaves the level as it is. */
export interface PolicySettings {
  readonly enforcement: Enforcement | ''
  readonly properties: Readonly<Record<string, unknown>>
}

/** What a pack says of itself. */
export interface PackInfo {
  readonly name: string
  readonly version: string
  readonly takesSettings: boolean
  readonly policies: readonly PolicyInfo[]
  /** Settings that the pack's own program gives. */
  readonly settings: ReadonlyMap<string, PolicySettings>
}

/** A provider resource as packs see it. */
export interface AnalyzedProvider {
  readonly urn: Urn
  readonly type: string
  readonly name: string
  readonly properties: PropertyMap
}

/** A resource as packs see it: inputs before its step, outputs at the end. */
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

/** A resource of a whole stack. */
export interface AnalyzedStackResource extends AnalyzedResource {
  readonly dependencies: readonly string[]
  readonly propertyDependencies: ReadonlyMap<string, readonly string[]>
}

/** What names a policy in events. */
export interface PolicyName {
  readonly policy: string
  readonly pack: string
  readonly version: string
}

/** A policy that is not kept to. */
export interface Violation extends PolicyName {
  readonly message: string
  readonly enforcement: Enforcement
  /** What it is about, '' for what was asked about. */
  readonly urn: string
  readonly severity: Severity
}

/** What a policy makes of a resource's properties; with a diagnostic it makes nothing. */
export interface Remediation extends PolicyName {
  readonly properties: PropertyMap
  readonly diagnostic: string
}

/** What a pack says of resources; policies that do not concern them by name. */
export interface Analysis {
  readonly violations: readonly Violation[]
  readonly notApplicable: readonly string[]
}

/** One policy pack, configured. */
export interface Analyzer {
  readonly info: PackInfo
  /** Where it was asked for. */
  readonly path: string
  readonly analyze: (resource: AnalyzedResource) => Promise<Analysis>
  readonly remediate: (resource: AnalyzedResource) => Promise<{
    readonly remediations: readonly Remediation[]
    readonly notApplicable: readonly string[]
  }>
  readonly analyzeStack: (resources: readonly AnalyzedStackResource[]) => Promise<Analysis>
  /** Asks it to end what runs. Never rejects. */
  readonly cancel: () => Promise<void>
  /** Ends its process. Never rejects. */
  readonly close: () => Promise<void>
}

/** A policy pack that is asked for. */
export interface PolicyPackPlace {
  /** A folder with PulumiPolicy.yaml, or a program; relative to the project's folder. */
  readonly path: string
  /** A JSON file with settings of its policies. */
  readonly config?: string
}

/** Where policy packs are started. */
export interface AnalyzerHost {
  /** Starts and configures packs, in order. Throws POLICY_PACK_FAILED; then none is left. */
  readonly load: (packs: readonly PolicyPackPlace[]) => Promise<readonly Analyzer[]>
  /** Asks all to end what runs soon. */
  readonly cancelAll: () => Promise<void>
  readonly close: () => Promise<void>
}
