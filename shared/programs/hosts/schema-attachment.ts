/** The variable with the providers to which a language host attaches: `name:port,…`. */
const attachmentVariable = 'PULUMI_DEBUG_PROVIDERS'

/**
 * Adds the variables by which the language host of YAML finds the schemas of Terraform packages.
 * This host does not use the schema service, so it attaches to the engine as to a plugin. An
 * attachment of the user takes precedence.
 */
export function withSchemaAttachment(
  env: Readonly<Record<string, string>>,
  runtime: string,
  engineAddress: string,
): Readonly<Record<string, string>> {
  if (runtime !== 'yaml') return env
  const port = engineAddress.slice(engineAddress.lastIndexOf(':') + 1)
  const attachments = [env[attachmentVariable] ?? '', `terraform-provider:${port}`]
  return { ...env, [attachmentVariable]: attachments.filter(text => text !== '').join(',') }
}
