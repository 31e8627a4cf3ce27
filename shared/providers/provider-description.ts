/** The self-description of a provider, configured or not. Its functions throw `ProviderError`. */
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
   * Returns the mapping for one provider of the ecosystem. `provider` is '' in a request for the
   * default mapping, and in the result when no mapping exists.
   */
  readonly getMapping: (request: {
    readonly ecosystem: string
    readonly provider: string
  }) => Promise<{
    readonly provider: string
    readonly data: Uint8Array
  }>
}

/** The resource plugins that are installed or that the user runs. */
export interface PluginInventory {
  /** Returns the name of each of these plugins, once. */
  readonly listInstalled?: () => readonly string[]
}
