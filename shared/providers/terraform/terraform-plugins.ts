import type { ProcessesPort } from '../../ports/system.ts'
import { addInstance } from '../plugins/add-instance.ts'
import { mapVariables } from '../plugins/plugin-environment.ts'
import type { TraceCall } from '../plugins/trace-call.ts'
import type { PluginMessage } from '../plugins/plugin-message.ts'
import type { PluginHost, Provider } from '../provider.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import { pluginLimits } from '../../config/plugin-limits.ts'
import type { TerraformHost } from './client/terraform-host.ts'
import type { createTerraformProvider } from './driver/terraform-provider.ts'
import type { TerraformInstaller } from './install/terraform-installer.ts'
import { basePlugin } from './mapping/base-plugin.ts'

/** The name of the base plugin of all packages that Terraform providers implement. */
export const terraformPlugin = basePlugin.name

/** Dependencies of the Terraform providers of a host. */
export interface TerraformPluginDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which providers inherit. */
  readonly env: Readonly<Record<string, string>>
  readonly programFolder: string
  readonly openInstaller: () => Promise<TerraformInstaller>
  /** Reports a message to the user. Must not block and must not throw. */
  readonly report: (message: PluginMessage) => void
  /** Traces the calls of providers. Absent: nothing is traced. */
  readonly traceCall?: TraceCall | undefined
}

/** The driver of Terraform providers, whose code is loaded for the first provider. */
interface TerraformDriver {
  readonly host: TerraformHost
  readonly createProvider: typeof createTerraformProvider
  readonly installer: TerraformInstaller
}

/** Returns a host that runs Terraform providers itself, and passes other plugins to `host`. */
export function withTerraformPlugins(host: PluginHost, deps: TerraformPluginDeps): PluginHost {
  let opening: Promise<TerraformDriver> | undefined
  const instances = new Set<Provider>()
  const startAbort = new AbortController()
  let isEnding = false
  const createInstance = async (
    name: string,
    envVarMappings: ReadonlyMap<string, string> = new Map(),
  ): Promise<Provider> => {
    const driver = await (opening ??= openDriver(deps))
    const provider = driver.createProvider({
      name,
      findBinary: driver.installer.obtain,
      start: ({ path, source }) =>
        driver.host.start({
          name,
          source,
          path,
          cwd: deps.programFolder,
          env: mapVariables(deps.env, envVarMappings),
          abortSignal: startAbort.signal,
          isSilent: () => isEnding,
        }),
      isEnding: () => isEnding,
      warn: text => deps.report({ plugin: name, severity: 'warning', text, streamId: 0 }),
      inform: text => deps.report({ plugin: name, severity: 'info', text, streamId: 0 }),
    })
    return addInstance(instances, provider)
  }
  return {
    ...host,
    load: async (plugin, options) =>
      plugin.name === terraformPlugin
        ? createInstance(options.pkg, options.envVarMappings)
        : host.load(plugin, options),
    obtain: async plugin =>
      plugin.name === terraformPlugin ? { path: 'built in' } : host.obtain(plugin),
    async cancelAll() {
      startAbort.abort()
      const cancels = Promise.all([...instances].map(instance => instance.cancel()))
      await Promise.all([
        host.cancelAll(),
        withTimeout(cancels, pluginLimits.deploymentCancelTimeoutMs),
      ])
    },
    abandon() {
      isEnding = true
      startAbort.abort()
      host.abandon()
    },
    async close() {
      isEnding = true
      startAbort.abort()
      await Promise.all([...[...instances].map(instance => instance.close()), host.close()])
    },
  }
}

/** Loads the driver. It is a third of the code of deployments, and most of them do not need it. */
async function openDriver(deps: TerraformPluginDeps): Promise<TerraformDriver> {
  const [{ createTerraformHost }, { createTerraformProvider: createProvider }, installer] =
    await Promise.all([
      import('./client/terraform-host.ts'),
      import('./driver/terraform-provider.ts'),
      deps.openInstaller(),
    ])
  return { host: createTerraformHost(deps), createProvider, installer }
}
