import { createProcesses } from '../../shared/platform/system/processes.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { createTerraformHost } from '../../shared/providers/terraform/client/terraform-host.ts'
import { createTerraformInstaller } from '../../shared/providers/terraform/install/terraform-installer.ts'
import { definedVariablesOf } from '../plugins/plugin-command-tools.ts'
import { createSessionInstallDeps } from '../plugins/terraform-providers.ts'
import type { CliSession } from '../session/session.ts'
import {
  createOpenProviders,
  type OpenProviders,
  type OpenProvidersDeps,
} from './open-providers.ts'

/** Runs a function with the providers of an adoption, and then ends their processes. */
export async function withProviderProcesses<T>(
  session: CliSession,
  options: Pick<OpenProvidersDeps, 'choose' | 'stack' | 'config' | 'existingStates'> & {
    readonly programFolder: string
    readonly adopt: (providers: OpenProviders) => Promise<T>
  },
): Promise<T> {
  const { programFolder, adopt, ...providerOptions } = options
  const installer = createTerraformInstaller(createSessionInstallDeps(session, programFolder))
  const processes = createProcesses()
  const host = createTerraformHost({
    processes,
    env: definedVariablesOf(session),
    report: ({ severity, plugin, text }) => {
      if (severity === 'warning' || severity === 'error')
        session.printToStderr(`${severity}: ${plugin}: ${text}`)
    },
  })
  const providers = createOpenProviders({
    ...providerOptions,
    random: createSystemRandom(),
    findBinary: installer.obtain,
    start: ({ path, source, providerName }) =>
      host.start({ name: providerName, source, path, cwd: programFolder }),
    inform: text => session.printToStderr(text),
    warn: text => session.printToStderr(`warning: ${text}`),
  })
  try {
    return await adopt(providers)
  } finally {
    await providers.close()
    await processes.close()
  }
}
