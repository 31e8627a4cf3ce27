/** The parameters that extend a provider, as in snapshots; `value` is base64. */
export interface Extension {
  readonly name: string
  readonly version: string
  readonly value: string
}
