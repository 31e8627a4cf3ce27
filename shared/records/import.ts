import type { Urn } from '../names/urn.ts'
import type { JsonObject } from '../values/stored.ts'
import type { Extension } from './extension.ts'

/** Which plugin becomes a package, and how; `value`: base64. */
export interface ImportParameterization {
  readonly pluginName: string
  readonly pluginVersion: string
  readonly value: string
}

/** One resource that the command `import` is to adopt, resolved to URNs. '' = not given. */
export interface ImportedResource {
  readonly type: string
  readonly name: string
  /** What the provider knows it by; '' for a component or a provider, which are made. */
  readonly id: string
  readonly parent: Urn | ''
  /** A provider that the stack has, that is among what is imported, or that is made for it. */
  readonly provider: Urn | ''
  readonly version: string
  readonly pluginDownloadUrl: string
  readonly protect: boolean
  /** Whether a person chose properties of it, which only the generated program heeds. */
  readonly isChosen: boolean
  /** `remote`: a component that a provider makes. */
  readonly component: 'no' | 'local' | 'remote'
  /** Of a provider its configuration, else what its provider may not be able to read; sealed. */
  readonly inputs?: JsonObject
  /** Its whole state, so that it is not read at all; sealed. */
  readonly outputs?: JsonObject
  /** The configuration of `provider`, where that is made for it; sealed. */
  readonly providerInputs?: JsonObject
  /** Its package is a plugin with parameters; the package's own version is `version`. */
  readonly parameterization?: ImportParameterization
  /** What its provider must be extended by. */
  readonly extension?: Extension
}
