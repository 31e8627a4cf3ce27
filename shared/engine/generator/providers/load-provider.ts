import type { Urn } from '../../../names/urn.ts'
import type { Provider } from '../../../providers/provider.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { DecisionPorts } from '../context.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'
import { describeDenial, deniedPackageOf } from './denied-providers.ts'

/**
 * Returns the provider instance that a state names. A missing or disabled provider ends the
 * deployment.
 */
export async function loadProvider(
  { providers }: Pick<DecisionPorts, 'providers'>,
  { provider: reference, extensionRef }: Pick<ResourceState, 'provider' | 'extensionRef'>,
  urn: Urn,
): Promise<Result<Provider>> {
  const deniedPackage = deniedPackageOf(reference)
  if (deniedPackage !== undefined) return failDeployment(describeDenial(deniedPackage, urn), urn)
  try {
    return toDecided(await providers.getInstance(reference, extensionRef))
  } catch (thrown) {
    return failDeployment(thrown instanceof Error ? thrown.message : String(thrown), urn)
  }
}
