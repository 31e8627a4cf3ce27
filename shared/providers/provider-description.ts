/** The self-description of a provider, configured or not. Throws `ProviderError`. */
export interface ProviderDescription {
  /** Returns the schema of its package, or of its parameterized package, as JSON text. */
  readonly getSchema: (of: { readonly name: string; readonly version: string }) => Promise<string>
  /**
   * Returns the providers of another ecosystem for which it has mappings; an empty list when it
   * does not support this.
   */
  readonly listMappings: (ecosystem: string) => Promise<readonly string[]>
  /**
   * Returns one mapping; '' requests the default one. `provider`: the provider of the mapping, ''
   * for none.
   */
  readonly getMapping: (of: { readonly ecosystem: string; readonly provider: string }) => Promise<{
    readonly provider: string
    readonly data: Uint8Array
  }>
}

/** The locally available providers. */
export interface PluginInventory {
  /** Returns the names of resource plugins, each once. */
  readonly listInstalled?: () => readonly string[]
}
