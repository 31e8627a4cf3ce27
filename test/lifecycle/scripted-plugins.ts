import {
  CheckResponse,
  ConfigureResponse,
  type CheckRequest,
  type ConfigureRequest,
  type ParameterizeRequest,
  ParameterizeResponse,
} from '../../proto/gen/pulumi/provider.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../../shared/providers/provider.ts'
import {
  type Script,
  type ScriptedServer,
  serveScript,
} from '../../shared/providers/pulumi/scripted-server.fixture.ts'
import type { Cloud } from './cloud.ts'

/** A started plugin with its calls. */
export interface LoadedPlugin {
  readonly plugin: PluginDescriptor
  readonly envVarMappings: Readonly<Record<string, string>>
  readonly calls: ScriptedServer['calls']
  /**
   * Returns the methods of the calls. A `parameterize` is followed by name, version and parameter
   * of the resulting package.
   */
  readonly listCalls: () => readonly string[]
  /** Returns the request of the first call of a method. */
  readonly requestOf: (method: string) => Record<string, unknown>
}

/** A host that starts every plugin as its own server over one cloud. */
export interface Plugins {
  readonly host: PluginHost
  readonly loaded: readonly LoadedPlugin[]
  /** Returns the plugins that were started since the last call. */
  readonly takeLoaded: () => readonly LoadedPlugin[]
  /** Returns the plugins that the engine obtained from the host, as `name version`. */
  readonly listObtained: () => readonly string[]
  readonly close: () => void
}

/** Returns further handlers of a plugin, beyond those of the cloud. */
export type ExtraScript = (plugin: PluginDescriptor) => Script

/** Creates plugins over a cloud. They accept any configuration and any parameters. */
export function createScriptedPlugins(cloud: Cloud, extra: ExtraScript = () => ({})): Plugins {
  const loaded: LoadedPlugin[] = []
  const servers: ScriptedServer[] = []
  const obtained: string[] = []
  const load: PluginHost['load'] = async (plugin, launchOptions) => {
    const server = await serveScript({ ...baseScript, ...cloud.script, ...extra(plugin) })
    servers.push(server)
    const { calls } = server
    loaded.push({
      plugin,
      envVarMappings: Object.fromEntries(launchOptions.envVarMappings ?? []),
      calls,
      listCalls: () => calls.map(({ method, request }) => describeCall(method, request)),
      requestOf: method => {
        const match = calls.find(call => call.method === method)
        return (match?.request ?? {}) as Record<string, unknown>
      },
    })
    return server.provider satisfies Provider
  }
  return {
    host: {
      load,
      obtain: async ({ name, version }) => {
        obtained.push(`${name} ${version}`)
        return { path: 'scripted' }
      },
      cancelAll: () => Promise.resolve(),
      abandon: () => undefined,
      close: () => Promise.resolve(),
    },
    loaded,
    listObtained: () => obtained,
    takeLoaded: () => loaded.splice(0),
    close: () => servers.forEach(server => server.close()),
  }
}

const baseScript: Script = {
  parameterize: ({ parameters }: ParameterizeRequest) => {
    const value = parameters?.$case === 'value' ? parameters.value : undefined
    return ParameterizeResponse.create({ name: value?.name ?? '', version: value?.version ?? '' })
  },
  checkConfig: ({ news }: CheckRequest) => CheckResponse.create({ inputs: news ?? {} }),
  configure: (_request: ConfigureRequest) =>
    ConfigureResponse.create({ acceptSecrets: true, supportsPreview: true }),
}

function describeCall(method: string, request: unknown): string {
  if (method !== 'parameterize') return method
  const { parameters } = request as ParameterizeRequest
  if (parameters?.$case !== 'value') return method
  const { name, version, value } = parameters.value
  return `parameterize ${name} ${version} ${Buffer.from(value).toString()}`
}
