/** What a provider says of itself, configured or not. Throws `ProviderError`. */
export interface Describing {
  /** The schema of its package, or of the one that it was made to be, as JSON text. */
  readonly schema: (of: { readonly name: string; readonly version: string }) => Promise<string>
  /** The providers of another ecosystem that it has mappings of; none where it does not say. */
  readonly mappings: (ecosystem: string) => Promise<readonly string[]>
  /** One mapping; '' asks for the one that it has. `provider`: whose it is, '' for none. */
  readonly mapping: (of: { readonly ecosystem: string; readonly provider: string }) => Promise<{
    readonly provider: string
    readonly data: Uint8Array
  }>
}

/** Which providers are there without being fetched. */
export interface Installed {
  /** The names of resource plugins, each once. */
  readonly installed?: () => readonly string[]
}
