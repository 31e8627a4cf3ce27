import { parse } from 'semver'
import { compareVersions } from '../../names/version.ts'
import type { RequiredPackage } from '../../programs/required-packages.ts'
import { listProviderRequests } from '../generator/providers/default-packages.ts'
import { packageVersionOf } from '../../providers/package-request.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { CommandRun } from './command-run.ts'

/**
 * Warns of each package that the program requires in a newer version than the state has. A refresh
 * or destroy that does not run the program uses the providers of the state. A program whose
 * packages cannot be listed causes no warning, as in Pulumi.
 */
export async function warnOlderPackages(
  run: Pick<CommandRun, 'request' | 'requiredPackages' | 'emitter'>,
  resources: readonly ResourceState[],
): Promise<void> {
  const { command } = run.request.options
  if ((command !== 'refresh' && command !== 'destroy') || resources.length === 0) return
  const requiredPackages = await run.requiredPackages().catch(() => [])
  for (const difference of describeOlderPackages(requiredPackages, resources))
    run.emitter.report('warning', `${command} operation is using an older version of ${difference}`)
}

/**
 * Returns a text with both versions for each package of the state that is older than the same
 * package of the program. Equal texts are returned once. Packages without a valid version are not
 * compared.
 */
export function describeOlderPackages(
  requiredPackages: readonly RequiredPackage[],
  resources: readonly ResourceState[],
): readonly string[] {
  const recordedPackages = resources.flatMap(listProviderRequests)
  const differences = requiredPackages.flatMap(required => {
    const newVersion = packageVersionOf({ ...required, checksums: new Map() })
    return recordedPackages.flatMap(recorded => {
      const oldVersion = packageVersionOf(recorded)
      if (recorded.pkg !== required.pkg || parse(oldVersion) === null) return []
      if (compareVersions(newVersion, oldVersion) <= 0) return []
      return [
        `package '${required.pkg}' than the specified program version: ${oldVersion} < ${newVersion}`,
      ]
    })
  })
  return [...new Set(differences)]
}
