import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createError } from '../../shared/errors/error.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import {
  parsePackageParameter,
  type PackageParameter,
} from '../../shared/providers/terraform/driver/package-parameter.ts'
import {
  type InstalledProvider,
  listInstalledProviders,
  terraformCacheOf,
} from '../../shared/providers/terraform/install/terraform-cache.ts'
import {
  createTerraformInstaller,
  type TerraformInstallerDeps,
} from '../../shared/providers/terraform/install/terraform-installer.ts'
import { terraformPlugin } from '../../shared/providers/terraform/terraform-plugins.ts'
import { createTerraformInstallDeps } from '../../shared/runtime/plugins/terraform-install-deps.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { definedVariablesOf, readRequiredPackages } from './plugin-command-tools.ts'

/**
 * Installs the Terraform provider that the operands name, and reports its version. Throws CLI_USAGE
 * and the errors of the installer.
 */
export async function installNamedTerraformProvider(
  session: CliSession,
  flags: Flags,
  [_kind, source, version = '']: readonly string[],
): Promise<void> {
  if (source === undefined)
    throw createError(
      'CLI_USAGE',
      'missing address of the Terraform provider, such as hashicorp/random',
    )
  for (const flag of ['server', 'checksum', 'file'])
    if (flags.text(flag) !== undefined)
      throw createError('CLI_USAGE', `--${flag} does not apply to Terraform providers`)
  const parameter = { includes: [], excludes: [], providerName: undefined, source, version }
  await installTerraformProviders(session, flags, {
    programFolder: session.cwd,
    parameters: [{ kind: 'remote', ...parameter }],
  })
}

/** Installs the Terraform providers that the program of the folder requires. */
export async function installRequiredTerraformProviders(
  session: CliSession,
  flags: Flags,
): Promise<void> {
  const parameters = (await readRequiredPackages(session)).flatMap(
    ({ parameters: pluginParameters }) =>
      pluginParameters?.plugin === terraformPlugin
        ? [parsePackageParameter(pluginParameters.value)]
        : [],
  )
  const { programFolder } = locateProgram(session.requireProject())
  await installTerraformProviders(session, flags, { programFolder, parameters })
}

async function installTerraformProviders(
  session: CliSession,
  flags: Flags,
  {
    programFolder,
    parameters,
  }: { readonly programFolder: string; readonly parameters: readonly PackageParameter[] },
): Promise<void> {
  const installer = createTerraformInstaller({
    ...createSessionInstallDeps(session, programFolder),
    updatesLock: flags.isSet('lock'),
    ignoresCache: flags.isSet('reinstall'),
    // The user asked for these installations, so downloads are always allowed.
    mayDownload: true,
  })
  const uniqueParameters = new Map(parameters.map(item => [JSON.stringify(item), item]))
  for (const parameter of uniqueParameters.values()) {
    const { source, version } = await installer.obtain(parameter)
    if (parameter.kind === 'remote')
      session.printToStderr(`Installed Terraform provider ${source} ${version}`)
  }
}

/** Creates the ports and settings of an installer for a program. Its messages go to stderr. */
export function createSessionInstallDeps(
  session: CliSession,
  programFolder: string,
): TerraformInstallerDeps {
  const env = definedVariablesOf(session)
  return createTerraformInstallDeps({
    env,
    home: env['HOME'] ?? homedir(),
    programFolder,
    pause: ms => sleep(ms),
    now: () => Date.now(),
    report: (_severity, text) => session.printToStderr(text),
  })
}

/** Lists the Terraform providers in the user's cache. */
export function listTerraformProviders(session: CliSession): readonly InstalledProvider[] {
  const env = definedVariablesOf(session)
  return listInstalledProviders(terraformCacheOf({ env, home: env['HOME'] ?? homedir() }))
}
