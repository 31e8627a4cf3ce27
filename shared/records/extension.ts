/** The parameters that extend a provider, in the form of snapshots. `value` is base64. */
export interface ExtensionParameters {
  readonly name: string
  readonly version: string
  readonly value: string
}
