import { stringify } from 'yaml'
import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import { createTextFiles } from '../../project/output-file.ts'
import type { GeneratedSdk } from '../generated-sdk.ts'

/**
 * Generates the description of a package for programs in YAML. Their language host searches the
 * folder of the program for such files. The host reads the types from the plugin.
 */
export function generateYamlSdk(schema: PackageSchema): GeneratedSdk {
  const { name, version = '0.0.0', pluginDownloadURL } = schema
  const { parameterization, extensionParameterization } = schema
  const spec = parameterization ?? extensionParameterization
  const location = pluginDownloadURL === undefined ? {} : { downloadUrl: pluginDownloadURL }
  const declaration = {
    packageDeclarationVersion: 1,
    name: spec?.baseProvider.name ?? name,
    version: spec === undefined ? version : (spec.baseProvider.version ?? ''),
    ...location,
    ...(spec !== undefined && {
      [parameterization === undefined ? 'extension' : 'parameterization']: {
        ...{ name, version, value: spec.parameter ?? '' },
      },
    }),
  }
  const text = stringify(declaration, { lineWidth: 0 })
  return { files: createTextFiles(new Map([[`${name}-${version}.yaml`, text]])), omissions: [] }
}
