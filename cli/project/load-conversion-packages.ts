import { createProcesses } from '../../shared/platform/system/processes.ts'
import { error } from '../../shared/errors/error.ts'
import { createTerraformHost } from '../../shared/providers/terraform/client/terraform-host.ts'
import type { RequiredProvider } from '../../shared/providers/terraform/convert/configuration.ts'
import type { ConversionPackage } from '../../shared/providers/terraform/convert/conversion.ts'
import { formatPackageParameter } from '../../shared/providers/terraform/driver/package-arguments.ts'
import { startPackage } from '../../shared/providers/terraform/driver/terraform-provider.ts'
import { createTerraformInstaller } from '../../shared/providers/terraform/install/terraform-installer.ts'
import { definedVariablesOf } from '../plugins/plugin-command-tools.ts'
import { createSessionInstallDeps } from '../plugins/terraform-providers.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Loads the schemas of providers, which are installed if they are missing. Returns the packages by
 * the local names of the providers. The processes of the providers end before it returns. Throws
 * the errors of the installer, ProviderError, and PLUGIN_AMBIGUOUS for two packages of one name.
 */
export async function loadConversionPackages(
  session: CliSession,
  providers: ReadonlyMap<string, RequiredProvider>,
): Promise<ReadonlyMap<string, ConversionPackage>> {
  const installer = createTerraformInstaller(createSessionInstallDeps(session, session.cwd))
  const processes = createProcesses()
  const host = createTerraformHost({
    ...{ processes, env: definedVariablesOf(session) },
    report: ({ severity, plugin, text }) => {
      if (severity === 'warning' || severity === 'error')
        session.printToStderr(`${severity}: ${plugin}: ${text}`)
    },
  })
  const deps = {
    findBinary: installer.obtain,
    start: ({
      path,
      source,
      providerName: name,
    }: {
      path: string
      source: string
      providerName: string
    }) => host.start({ name, source, path, cwd: session.cwd }),
    inform: (text: string) => session.printToStderr(text),
    warn: (text: string) => session.printToStderr(`warning: ${text}`),
  }
  const packages = new Map<string, ConversionPackage>()
  try {
    for (const [name, { source, version }] of providers) {
      const filter = { includes: [], excludes: [], providerName: undefined }
      const started = await startPackage(deps, { ...filter, kind: 'remote', source, version })
      await started.process.close()
      const { pkg, parameter } = started
      requireOtherName(pkg.name, source, packages)
      packages.set(name, { pkg, parameter: formatPackageParameter(parameter) })
    }
  } finally {
    await processes.close()
  }
  return packages
}

function requireOtherName(
  name: string,
  source: string,
  packages: ReadonlyMap<string, ConversionPackage>,
): void {
  const other = [...packages.values()].find(({ pkg }) => pkg.name === name)
  if (other !== undefined)
    throw error(
      'PLUGIN_AMBIGUOUS',
      `the providers ${other.pkg.source} and ${source} have the same package name '${name}'`,
    )
}
