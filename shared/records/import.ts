import type { Urn } from '../names/urn.ts'
import type { JsonObject } from '../values/stored.ts'
import type { Extension } from './extension.ts'

/** The plugin and parameters that form a package; `value` is base64. */
export interface ImportParameterization {
  readonly pluginName: string
  readonly pluginVersion: string
  readonly value: string
}

/** A resource that the command `import` adopts, resolved to URNs. '' = not set. */
export interface ImportedResource {
  readonly type: string
  readonly name: string
  /** The provider's id of the resource; '' for a component or a provider, which are created. */
  readonly id: string
  readonly parent: Urn | ''
  /** A provider that the stack has, that is imported too, or that is created for this resource. */
  readonly provider: Urn | ''
  readonly version: string
  readonly pluginDownloadUrl: string
  readonly protect: boolean
  /** Whether the user selected properties. Only the generated program uses them. */
  readonly isChosen: boolean
  /** `remote`: a component that a provider constructs. */
  readonly component: 'no' | 'local' | 'remote'
  /**
   * The configuration of a provider; of other resources, inputs that their provider may be unable
   * to read. Sealed.
   */
  readonly inputs?: JsonObject
  /** The complete state, which makes a read unnecessary. Sealed. */
  readonly outputs?: JsonObject
  /** The configuration of `provider`, if it is created for this resource. Sealed. */
  readonly providerInputs?: JsonObject
  /** Set when the package is a parameterized plugin. The package's own version is `version`. */
  readonly parameterization?: ImportParameterization
  /** The extension that its provider needs. */
  readonly extension?: Extension
}
