import { createError } from '../../shared/errors/error.ts'
import type { RequiredProvider } from '../../shared/providers/terraform/convert/terraform-program.ts'
import type { ConversionPackage } from '../../shared/providers/terraform/convert/conversion.ts'
import { formatPackageParameter } from '../../shared/providers/terraform/driver/package-arguments.ts'
import { startPackage } from '../../shared/providers/terraform/driver/terraform-provider.ts'
import { withTerraformStarts } from '../plugins/with-terraform-starts.ts'
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
  const packages = new Map<string, ConversionPackage>()
  await withTerraformStarts(session, session.cwd, async starts => {
    for (const [name, { source, version }] of providers) {
      const filter = { includes: [], excludes: [], providerName: undefined }
      const runningPackage = await startPackage(starts, {
        ...filter,
        kind: 'remote',
        source,
        version,
      })
      await runningPackage.process.close()
      const { pkg, parameter } = runningPackage
      refuseRepeatedName(pkg.name, source, packages)
      packages.set(name, { pkg, parameter: formatPackageParameter(parameter) })
    }
  })
  return packages
}

/** Throws PLUGIN_AMBIGUOUS if a package that was loaded before has the same name. */
function refuseRepeatedName(
  name: string,
  source: string,
  packages: ReadonlyMap<string, ConversionPackage>,
): void {
  const existingPackage = [...packages.values()].find(({ pkg }) => pkg.name === name)
  if (existingPackage !== undefined)
    throw createError(
      'PLUGIN_AMBIGUOUS',
      `the providers ${existingPackage.pkg.source} and ${source} have the same package name '${name}'`,
    )
}
