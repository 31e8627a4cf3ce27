import { createProcesses } from '../../shared/platform/system/processes.ts'
import { createTerraformHost } from '../../shared/providers/terraform/client/terraform-host.ts'
import type { TerraformProviderDeps } from '../../shared/providers/terraform/driver/terraform-provider.ts'
import { createTerraformInstaller } from '../../shared/providers/terraform/install/terraform-installer.ts'
import type { CliSession } from '../session/session.ts'
import { definedVariablesOf } from './plugin-command-tools.ts'
import { createSessionInstallDeps } from './terraform-providers.ts'

/** The dependencies with which `startPackage` finds, installs and starts Terraform providers. */
export type ProviderStartDeps = Pick<
  TerraformProviderDeps,
  'findBinary' | 'start' | 'warn' | 'inform'
>

/**
 * Runs a function that starts Terraform providers for the program of a folder, and then ends their
 * processes. Missing providers are installed.
 */
export async function withTerraformStarts<T>(
  session: CliSession,
  programFolder: string,
  use: (starts: ProviderStartDeps) => Promise<T>,
): Promise<T> {
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
  try {
    return await use({
      findBinary: installer.obtain,
      start: ({ path, source, providerName }) =>
        host.start({ name: providerName, source, path, cwd: programFolder }),
      inform: text => session.printToStderr(text),
      warn: text => session.printToStderr(`warning: ${text}`),
    })
  } finally {
    await processes.close()
  }
}
