import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'

/**
 * Returns the description of a package's plugin, with which language hosts find the plugin: its
 * name, version and parameters. `package.json` has it in Node, `pulumi-plugin.json` elsewhere.
 */
export function describePlugin(schema: PackageSchema): object {
  const { name, version = '0.0.0', pluginDownloadURL: server } = schema
  const { parameterization, extensionParameterization } = schema
  const spec = parameterization ?? extensionParameterization
  const location = server === undefined ? {} : { server }
  if (spec === undefined) return { resource: true, name, version, ...location }
  const parameters = { name, version, value: spec.parameter ?? '' }
  return {
    resource: true,
    name: spec.baseProvider.name,
    version: spec.baseProvider.version ?? '',
    ...location,
    ...(parameterization === undefined
      ? { extensionParameterization: parameters }
      : { parameterization: parameters }),
  }
}
