import * as z from 'zod'
import { createSealing } from '../../engine/deployment/state/state-sealing.ts'
import { configInputsOf } from '../../engine/generator/providers/default-providers.ts'
import type { DeployInput } from '../../engine/request.ts'
import {
  isProviderType,
  packageOf,
  providerReferenceOf,
  providerTypeOf,
} from '../../names/provider-reference.ts'
import { childUrnOf } from '../../names/urn.ts'
import { completeVersion } from '../../names/version.ts'
import { internalKey, withEngineValues, withPlugin } from '../../providers/provider-inputs.ts'
import { stackPartsOf } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { prepareToSeal } from '../../secrets/prepare-to-seal.ts'
import { createResourceState } from '../../state/resource.ts'
import { isJsonObject, readTextField } from '../../state/stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../../state/stored.ts'
import type { PropertyMap } from '../../values/value.ts'

/** The plugins that the manifest of a state lists. A malformed list counts as empty. */
const manifestForm = z.looseObject({
  plugins: z
    .array(z.looseObject({ name: z.string(), version: z.string().default('') }))
    .nullish()
    .catch(null),
})

/**
 * Returns the state with the provider resources that current versions of Pulumi require. A resource
 * without a provider gets a default one. The inputs of this provider come from the configuration,
 * and its version comes from the manifest. A provider without outputs gets its inputs as outputs.
 * Returns the same object if nothing is missing. `createId`: returns the id of a new provider.
 * Throws the errors of the secrets manager. Source: docs/spec/deployment.md#preparation.
 */
export async function migrateProviders(
  stored: StoredDeployment,
  request: Pick<DeployInput, 'stack' | 'config' | 'secrets'>,
  createId: () => string,
): Promise<StoredDeployment> {
  const { resources = [] } = stored
  const packages = new Set(resources.filter(lacksProvider).map(({ type }) => packageOf(type)))
  if (packages.size === 0 && !resources.some(lacksOutputs)) return stored
  const names = stackPartsOf(request.stack)
  const { plugins } = manifestForm.parse(stored.manifest)
  const providers = [...packages].map(pkg => {
    const type = providerTypeOf(pkg)
    const inputs = inputsOf(pkg, plugins, request)
    const urn = childUrnOf(names, undefined, { type, name: 'default' })
    const fields = { urn, type, custom: true, id: createId(), inputs, outputs: inputs }
    return { pkg, state: createResourceState(fields) }
  })
  const sealAll = (manager: SecretsManager): readonly StoredResource[] => {
    const { seal } = createSealing(manager)
    return providers.map(({ state }) => seal(state))
  }
  await prepareToSeal(request.secrets, sealAll)
  const references = new Map(
    providers.map(({ pkg, state: { urn, id } }) => [pkg, providerReferenceOf(urn, id)]),
  )
  const migratedResources = resources.map(resource => {
    if (lacksOutputs(resource)) return withOutputs(resource)
    const provider = references.get(packageOf(resource.type))
    return provider === undefined || !lacksProvider(resource) ? resource : { ...resource, provider }
  })
  return { ...stored, resources: [...sealAll(request.secrets), ...migratedResources] }
}

/** Reports whether a resource needs a provider and has none. A view has that of its owner. */
function lacksProvider(resource: StoredResource): boolean {
  return (
    resource.custom === true &&
    !isProviderType(resource.type) &&
    readTextField(resource, 'provider') === '' &&
    readTextField(resource, 'viewOf') === ''
  )
}

/** Reports whether a provider has inputs, but no outputs. */
function lacksOutputs({ type, inputs, outputs }: StoredResource): boolean {
  return isProviderType(type) && hasFields(inputs) && !hasFields(outputs)
}

function hasFields(map: StoredResource[string] | undefined): boolean {
  return isJsonObject(map) && Object.keys(map).length > 0
}

/** Returns a provider whose outputs are its inputs, without the values of the engine. */
function withOutputs(resource: StoredResource): StoredResource {
  const inputs = isJsonObject(resource['inputs']) ? resource['inputs'] : {}
  const { [internalKey]: _engineValues, ...outputs } = inputs
  return { ...resource, outputs }
}

/**
 * Returns the inputs of a default provider. The version is that of the last plugin in the manifest
 * with the name `pkg`.
 */
function inputsOf(
  pkg: string,
  plugins: z.infer<typeof manifestForm>['plugins'],
  { config }: Pick<DeployInput, 'config'>,
): PropertyMap {
  const inputs = configInputsOf(pkg, config)
  const plugin = plugins?.findLast(({ name }) => name === pkg)
  if (plugin === undefined) return inputs
  // A manifest has no addresses and no checksums. Pulumi records both, even if they are empty.
  const missing = { downloadUrl: '', checksums: new Map<string, string>() }
  const version = completeVersion(plugin.version) ?? ''
  return withEngineValues(withPlugin(inputs, { pkg, version, ...missing }), [
    ['pluginDownloadURL', missing.downloadUrl],
    ['pluginChecksums', missing.checksums],
  ])
}
