import { configInputsOf } from '../../shared/engine/generator/providers/default-providers.ts'
import { defaultNameOf } from '../../shared/engine/generator/providers/default-packages.ts'
import type { ConfigValue } from '../../shared/engine/request.ts'
import { providerTypeOf } from '../../shared/names/provider-reference.ts'
import { childUrnOf } from '../../shared/names/urn.ts'
import type { PackageRequest } from '../../shared/providers/package-request.ts'
import { withoutEngineValues, withPlugin } from '../../shared/providers/provider-inputs.ts'
import type { AdoptingStack } from '../../shared/providers/terraform/adoption/adopt-instances.ts'
import type { ProviderConfigAddress } from '../../shared/providers/terraform/adoption/state-addresses.ts'
import { markSensitiveInputs } from '../../shared/providers/terraform/driver/sensitive-inputs.ts'
import type { TerraformPackage } from '../../shared/providers/terraform/driver/terraform-package.ts'
import { createResourceState, type ResourceState } from '../../shared/state/resource.ts'
import { emptyMap, type PropertyMap } from '../../shared/values/value.ts'

/**
 * Returns the state of a provider configuration, as a deployment records it. In the root module, a
 * configuration without an alias becomes the default provider. Its settings come from the
 * configuration of the stack. Every other configuration becomes a provider of the program, with a
 * name from its modules and its alias. This provider has no settings, because a Terraform state
 * contains none.
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
      type,
      custom: true,
      id,
      inputs,
      parent,
      urn: childUrnOf(stack, undefined, { type, name }),
      outputs: withoutEngineValues(inputs),
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
  // As in Pulumi, the input `version` of a provider of the program is the version of the plugin,
  // even if the plugin is parameterized. The outer call sets this version, because its request has
  // no parameters.
  const inputs = withPlugin(withPlugin(emptyMap, request), {
    pkg: request.pkg,
    version,
    downloadUrl,
    checksums,
  })
  return createState(programProviderNameOf(address, request.pkg), inputs, stack.root)
}

function programProviderNameOf(
  { alias, modulePath }: ProviderConfigAddress,
  packageName: string,
): string {
  return [...modulePath.map(({ name }) => name), alias === '' ? packageName : alias].join('-')
}
