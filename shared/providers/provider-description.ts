/** What a provider says of itself, configured or not. Throws `ProviderError`. */
export interface ProviderDescription {
  /** The schema of its package, or of the one that it was made to be, as JSON text. */
  readonly getSchema: (of: { readonly name: string; readonly version: string }) => Promise<string>
  /** The providers of another ecosystem that it has mappings of; none where it does not say. */
  readonly listMappings: (ecosystem: string) => Promise<readonly string[]>
  /** One mapping; '' asks for the one that it has. `provider`: whose it is, '' for none. */
  readonly getMapping: (of: { readonly ecosystem: string; readonly provider: string }) => Promise<{
    readonly provider: string
    readonly data: Uint8Array
  }>
}

/** Which providers are there without being fetched. */
export interface PluginInventory {
  /** The names of resource plugins, each once. */
  readonly listInstalled?: () => readonly string[]
}
