import { configInputsOf } from '../../shared/engine/generator/providers/default-providers.ts'
import { defaultNameOf } from '../../shared/engine/generator/providers/default-packages.ts'
import type { ConfigValue } from '../../shared/engine/request.ts'
import { providerTypeOf } from '../../shared/names/provider-reference.ts'
import { childUrnOf } from '../../shared/names/urn.ts'
import type { PackageRequest } from '../../shared/providers/package-request.ts'
import { withoutInternal, withPlugin } from '../../shared/providers/provider-inputs.ts'
import type { AdoptingStack } from '../../shared/providers/terraform/adoption/adopt-instances.ts'
import type { ProviderConfigAddress } from '../../shared/providers/terraform/adoption/state-addresses.ts'
import { markSensitiveInputs } from '../../shared/providers/terraform/driver/sensitive-inputs.ts'
import type { TerraformPackage } from '../../shared/providers/terraform/driver/terraform-package.ts'
import { createResourceState, type ResourceState } from '../../shared/state/resource.ts'
import { emptyMap, type PropertyMap } from '../../shared/values/value.ts'

/**
 * Returns the state of a provider configuration, as a deployment records it. The configuration of
 * the root module without an alias becomes the default provider, with settings from the
 * configuration of the stack. Any other becomes a provider of the program, named after its modules
 * and alias, without settings: a Terraform state does not contain them.
 */
export function createProviderState(
  address: ProviderConfigAddress,
  options: {
    readonly id: string
    readonly stack: AdoptingStack
    readonly config: ReadonlyMap<string, ConfigValue>
    readonly request: PackageRequest
    readonly pkg: TerraformPackage
  },
): ResourceState {
  const { id, stack, config, request, pkg } = options
  const type = providerTypeOf(request.pkg)
  const createState = (name: string, inputs: PropertyMap, parent: ResourceState['parent']) =>
    createResourceState({
      ...{ type, custom: true, id, inputs, parent },
      urn: childUrnOf(stack, undefined, { type, name }),
      outputs: withoutInternal(inputs),
    })
  if (address.alias === '' && address.modulePath.length === 0) {
    const settings = markSensitiveInputs(
      pkg.provider.block,
      pkg.provider.names,
      configInputsOf(request.pkg, config),
    )
    return createState(defaultNameOf(request), withPlugin(settings, request), '')
  }
  const { version, downloadUrl, checksums } = request
  const inputs = withPlugin(withPlugin(emptyMap, request), {
    ...{ pkg: request.pkg, version, downloadUrl, checksums },
  })
  return createState(explicitNameOf(address, request.pkg), inputs, stack.root)
}

function explicitNameOf({ alias, modulePath }: ProviderConfigAddress, pkg: string): string {
  return [...modulePath.map(({ name }) => name), alias === '' ? pkg : alias].join('-')
}
