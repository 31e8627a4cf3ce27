/** An extension of a provider, as snapshots store it. `value`: its parameters in base64. */
export interface ExtensionParameters {
  readonly name: string
  readonly version: string
  readonly value: string
}
