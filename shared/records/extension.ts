/** What is added to a provider that stays what it is; `value`: base64. As snapshots keep it. */
export interface Extension {
  readonly name: string
  readonly version: string
  readonly value: string
}
