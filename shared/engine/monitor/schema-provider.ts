import type { Empty } from '../../../proto/gen/google/protobuf/empty.ts'
import type {
  GetSchemaRequest,
  GetSchemaResponse,
  ParameterizeRequest,
  ParameterizeResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { PluginInfo } from '../../../proto/gen/pulumi/plugin.ts'
import type { Parameterization } from '../../../proto/gen/pulumi/codegen/loader.ts'
import { basePlugin } from '../../providers/terraform/mapping/base-plugin.ts'
import type { createLoaderHandlers } from './plugin-descriptions.ts'

/**
 * Creates the handlers of a provider that only serves the schemas of Terraform packages. Language
 * hosts that load schemas without the schema service, such as that of YAML, attach to this
 * provider.
 */
export function createSchemaProviderHandlers(loader: ReturnType<typeof createLoaderHandlers>) {
  // Several connections share these handlers, so GetSchema finds the parameters of a package by its
  // name and version.
  const parameterizations = new Map<string, Parameterization>()
  return {
    handshake: () => Promise.resolve({}),
    attach: (): Promise<Empty> => Promise.resolve({}),
    getPluginInfo: (): Promise<PluginInfo> => Promise.resolve({ version: basePlugin.version }),
    parameterize({ parameters }: ParameterizeRequest): Promise<ParameterizeResponse> {
      if (parameters?.$case !== 'value')
        return Promise.reject(new Error('arguments of packages are not supported here'))
      const { name, version } = parameters.value
      parameterizations.set(`${name} ${version}`, parameters.value)
      return Promise.resolve({ name, version })
    },
    async getSchema(request: GetSchemaRequest): Promise<GetSchemaResponse> {
      const { subpackageName, subpackageVersion } = request
      const parameterization = parameterizations.get(`${subpackageName} ${subpackageVersion}`)
      const { schema } = await loader.getSchema({
        package: basePlugin.name,
        version: basePlugin.version,
        downloadUrl: '',
        parameterization,
      })
      return { schema: Buffer.from(schema).toString('utf8') }
    },
  }
}
