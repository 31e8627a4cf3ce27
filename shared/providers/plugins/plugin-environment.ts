/**
 * The input of a plugin's environment
 * (docs/spec/provider-protocol.md#working-directory-environment-stdio).
 */
export interface PluginEnvironmentInput {
  readonly env: Readonly<Record<string, string>>
  readonly plugin: string
  readonly project: string
  /** The `runtime.options` of the project file. */
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Configuration of the package; keys have no namespace. */
  readonly packageConfig: Readonly<Record<string, string>>
  /** Variable of the user → variable of the plugin that gets its value. */
  readonly envVarMappings?: ReadonlyMap<string, string>
}

/** Returns the user's variables, with copies under the names that a plugin expects. */
export function mapVariables(
  env: Readonly<Record<string, string>>,
  mappings: ReadonlyMap<string, string>,
): Record<string, string> {
  const mapped = { ...env }
  for (const [userVariable, pluginVariable] of mappings) {
    const value = env[userVariable]
    if (value !== undefined) mapped[pluginVariable] = value
  }
  return mapped
}

/**
 * Creates the environment of a plugin: the user's variables, overridden by those that Pulumi adds.
 */
export function createPluginEnvironment(input: PluginEnvironmentInput): Record<string, string> {
  const env = mapVariables(input.env, input.envVarMappings ?? new Map())
  for (const [key, value] of Object.entries(input.runtimeOptions))
    env[`PULUMI_RUNTIME_${key.toUpperCase()}`] =
      typeof value === 'string' ? value : JSON.stringify(value)
  if (input.project !== '') {
    env['PULUMI_PROJECT'] = input.project
    if (input.plugin === 'pulumi-nodejs') env['PULUMI_NODEJS_PROJECT'] = input.project
  }
  env['PULUMI_CONFIG'] = JSON.stringify(input.packageConfig)
  return env
}
