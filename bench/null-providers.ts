import { homedir } from 'node:os'
import type { RegisterPackageRequest } from '../proto/gen/pulumi/resource.ts'
import { childUrnOf } from '../shared/names/urn.ts'
import type { ProcessesPort } from '../shared/ports/system.ts'
import { createPluginHost } from '../shared/providers/plugins/plugin-host.ts'
import type { Provider } from '../shared/providers/provider.ts'
import type { TerraformInstaller } from '../shared/providers/terraform/install/terraform-installer.ts'
import {
  terraformPlugin,
  withTerraformPlugins,
} from '../shared/providers/terraform/terraform-plugins.ts'
import { openTerraformInstaller } from '../shared/runtime/plugins/open-terraform-installer.ts'

/** The provider of the one package of a program under the null engine. */
export interface NullProviders {
  /** Remembers the parameters of the package. */
  readonly registerPackage: (request: RegisterPackageRequest) => void
  /** Starts and configures the provider at the first call, and returns it. */
  readonly load: () => Promise<Provider>
  readonly close: () => Promise<void>
}

/** Creates the provider of the package `pkg`, whose process runs in the program folder. */
export function createNullProviders(deps: {
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
  readonly project: string
  readonly pkg: string
  readonly programFolder: string
  readonly engineAddress: () => string
}): NullProviders {
  const { processes, env, project, pkg, programFolder } = deps
  const home = homedir()
  const report = (): void => undefined
  const openInstaller = (): Promise<TerraformInstaller> =>
    openTerraformInstaller({
      env,
      home,
      programFolder,
      report,
      pause: () => Promise.resolve(),
      now: Date.now,
    })
  const plugins = withTerraformPlugins(
    createPluginHost({
      processes,
      env,
      home,
      programFolder,
      project,
      report,
      path: env['PATH'] ?? '',
      runtimeOptions: {},
      engineAddress: deps.engineAddress,
    }),
    { processes, env, programFolder, openInstaller, report },
  )
  let parameters: RegisterPackageRequest['parameterization']
  let providerPromise: Promise<Provider> | undefined
  const start = async (): Promise<Provider> => {
    const type = `pulumi:providers:${pkg}`
    const name = parameters === undefined ? pkg : terraformPlugin
    const provider = await plugins.load(
      { kind: 'resource', name, version: '', downloadUrl: '' },
      { pkg, packageConfig: {} },
    )
    if (parameters !== undefined)
      await provider.parameterize({
        name: parameters.name,
        version: parameters.version,
        value: Buffer.from(parameters.value).toString('base64'),
      })
    const urn = childUrnOf({ stack: 'bench', project }, undefined, { type, name: 'default' })
    await provider.configure({ urn, name: 'default', type, id: 'null', inputs: new Map() })
    return provider
  }
  return {
    registerPackage(request) {
      parameters = request.parameterization
    },
    load: () => (providerPromise ??= start()),
    close: () => plugins.close(),
  }
}
