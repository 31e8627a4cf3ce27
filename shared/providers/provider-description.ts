/** The self-description of a provider, configured or not. Throws `ProviderError`. */
export interface ProviderDescription {
  /**
   * Returns the schema of a package of the provider as JSON text. The package may be a
   * parameterized one.
   */
  readonly getSchema: (request: {
    readonly name: string
    readonly version: string
  }) => Promise<string>
  /**
   * Returns the providers of another ecosystem for which this provider has mappings. The list is
   * empty when this provider does not support mappings.
   */
  readonly listMappings: (ecosystem: string) => Promise<readonly string[]>
  /**
   * Returns one mapping; '' requests the default one. `provider`: the provider of the mapping, ''
   * for none.
   */
  readonly getMapping: (request: {
    readonly ecosystem: string
    readonly provider: string
  }) => Promise<{
    readonly provider: string
    readonly data: Uint8Array
  }>
}

/** The locally available providers. */
export interface PluginInventory {
  /** Returns the names of resource plugins, each once. */
  readonly listInstalled?: () => readonly string[]
}
