import type { Urn } from '../names/urn.ts'
import type { JsonObject } from '../values/value-codec.ts'
import type { PackageParameterization } from './package-parameterization.ts'

/** The plugin and the parameters that form a package. `value`: the parameters in base64. */
export interface ImportParameterization {
  readonly pluginName: string
  readonly pluginVersion: string
  readonly value: string
}

/** A resource that the command `import` adopts, resolved to URNs. '' = not set. */
export interface ImportedResource {
  readonly type: string
  readonly name: string
  /**
   * The provider's id of the resource; '' for a component or a provider, because the import creates
   * these.
   */
  readonly id: string
  readonly parent: Urn | ''
  /**
   * The provider of the resource: one of the stack, one that is imported too, or one that is
   * created for this resource.
   */
  readonly provider: Urn | ''
  readonly version: string
  readonly pluginDownloadUrl: string
  readonly protect: boolean
  /**
   * Whether the user selected properties. All properties are imported in any case, and only a
   * warning depends on the selection.
   */
  readonly isChosen: boolean
  /** `remote`: a component that a provider constructs. */
  readonly component: 'no' | 'local' | 'remote'
  /**
   * For a provider: its configuration. For other resources: inputs that their provider may be
   * unable to read. Sealed.
   */
  readonly inputs?: JsonObject
  /** The complete state, which makes a read unnecessary. Sealed. */
  readonly outputs?: JsonObject
  /** The configuration of `provider`, if that provider is created for this resource. Sealed. */
  readonly providerInputs?: JsonObject
  /** Set when the package is a parameterized plugin. The package's own version is `version`. */
  readonly parameterization?: ImportParameterization
  /** The extension that the provider of the resource needs. */
  readonly extension?: PackageParameterization
}
