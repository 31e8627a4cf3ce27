import { basename, isAbsolute, resolve } from 'node:path'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { isExecutable } from '../../programs/executables.ts'
import type { PluginMessage } from '../plugins/plugin-message.ts'
import type { PluginHost, Provider } from '../provider.ts'
import { withTimeout } from '../plugins/await-first-line.ts'
import { pluginLimits } from '../../config/plugin-limits.ts'
import { createTerraformHost } from './client/terraform-host.ts'
import type { PackageParameter } from './driver/package-parameter.ts'
import { createTerraformProvider, type ProviderBinary } from './driver/terraform-provider.ts'

/** The name of the plugin that packages of Terraform providers name as their base. */
const terraformPlugin = 'terraform-provider'

/** Dependencies of the Terraform providers of a host. */
export interface TerraformPluginDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which providers inherit. */
  readonly env: Readonly<Record<string, string>>
  readonly programFolder: string
  /** Reports a message to the user. Must not block and must not throw. */
  readonly report: (message: PluginMessage) => void
}

/** Returns a host that runs Terraform providers itself, and other plugins on another host. */
export function withTerraformPlugins(host: PluginHost, deps: TerraformPluginDeps): PluginHost {
  const terraform = createTerraformHost(deps)
  const instances = new Set<Provider>()
  const startAbort = new AbortController()
  let isEnding = false
  const createInstance = (name: string): Provider => {
    const provider = createTerraformProvider({
      name,
      findBinary: parameter => Promise.resolve(findLocalBinary(deps.programFolder, parameter)),
      start: ({ path, source }) =>
        terraform.start({
          name,
          source,
          path,
          cwd: deps.programFolder,
          abortSignal: startAbort.signal,
          isSilent: () => isEnding,
        }),
      isEnding: () => isEnding,
      warn: text => deps.report({ plugin: name, severity: 'warning', text, streamId: 0 }),
    })
    const instance: Provider = {
      ...provider,
      async close() {
        await provider.close()
        instances.delete(instance)
      },
    }
    instances.add(instance)
    return instance
  }
  return {
    ...host,
    load: async (plugin, options) =>
      plugin.name === terraformPlugin ? createInstance(options.pkg) : host.load(plugin, options),
    obtain: async plugin =>
      plugin.name === terraformPlugin ? { path: 'built in' } : host.obtain(plugin),
    async cancelAll() {
      startAbort.abort()
      const stops = Promise.all([...instances].map(instance => instance.cancel()))
      await Promise.all([
        host.cancelAll(),
        withTimeout(stops, pluginLimits.deploymentCancelTimeoutMs),
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

function findLocalBinary(programFolder: string, parameter: PackageParameter): ProviderBinary {
  if (parameter.kind === 'remote')
    throw error(
      'FEATURE_MISSING',
      `installing the Terraform provider '${parameter.source}' is not supported yet`,
    )
  const path = isAbsolute(parameter.path) ? parameter.path : resolve(programFolder, parameter.path)
  const [, providerName] = /^terraform-provider-([^_.]+)/.exec(basename(path)) ?? []
  if (providerName === undefined)
    throw error(
      'TERRAFORM_PACKAGE_INVALID',
      `the file of a Terraform provider must be named terraform-provider-NAME: ${path}`,
    )
  if (!isExecutable(path))
    throw error('PLUGIN_MISSING', `no executable Terraform provider at ${path}`)
  return { path, version: '0.0.0', source: parameter.path, providerName }
}
