import semver from 'semver'
import type {
  GetSchemaRequest,
  GetSchemaResponse,
  Parameterization,
} from '../../../proto/gen/pulumi/codegen/loader.ts'
import type {
  GetMappingRequest,
  GetMappingResponse,
} from '../../../proto/gen/pulumi/codegen/mapper.ts'
import { error, messageOf } from '../../errors/error.ts'
import type { ProviderDescription } from '../../providers/provider-description.ts'
import { isGitAddress } from '../../providers/install/git-address.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { createSerialQueue } from '../serial-queue.ts'

type DescriptionHost = Pick<PluginHost, 'load' | 'listInstalled'>

/** A plugin, and the parameters that make another package of it. */
interface PluginTarget {
  readonly name: string
  readonly version: string
  readonly downloadUrl: string
  readonly made: Parameterization | undefined
}

/**
 * Creates the handlers of the schema service. A schema comes from a plugin instance that is started
 * for the request and ended after it.
 */
export function createLoaderHandlers(host: () => DescriptionHost) {
  return {
    async getSchema(request: GetSchemaRequest): Promise<GetSchemaResponse> {
      const { package: name, version, downloadUrl, parameterization: made } = request
      requireVersion(version)
      if (made !== undefined) requireVersion(made.version, false)
      const target: PluginTarget = { name, version: withoutPrefix(version), downloadUrl, made }
      const of = {
        name: made?.name ?? '',
        version: made === undefined ? '' : withoutPrefix(made.version),
      }
      const text = await describePlugin(host(), target, description => description.getSchema(of))
      const ours = isGitAddress(downloadUrl) ? withVersion(text, target) : text
      return { schema: Buffer.from(ours) }
    },
  }
}

/**
 * Returns a schema with the requested version, which a plugin from a repository may not contain.
 */
function withVersion(text: string, { name, version }: PluginTarget): string {
  if (version === '') return text
  try {
    return JSON.stringify({ ...Object(JSON.parse(text)), version })
  } catch (cause) {
    const what = `the schema of '${name}' is not valid JSON: ${messageOf(cause)}`
    throw error('PLUGIN_FAILED', what, { cause })
  }
}

/** The default ecosystem of a request. */
const usualEcosystem = 'terraform'

/**
 * Creates the handlers of the mapping service. All installed plugins are queried. The plugin with
 * the provider's name, or the one named in the request, is queried first. The result is empty when
 * no plugin has a mapping.
 */
export function createMapperHandlers(host: () => DescriptionHost) {
  // Every request queries all plugins, and two concurrent ones would start all of them twice.
  const runInTurn = createSerialQueue()
  return {
    getMapping(request: GetMappingRequest): Promise<GetMappingResponse> {
      return runInTurn(() => findMapping(host(), request))
    },
  }
}

async function findMapping(
  host: DescriptionHost,
  request: GetMappingRequest,
): Promise<GetMappingResponse> {
  const { provider, pulumiProvider, parameterizationHint: hint } = request
  const first = pulumiProvider === '' ? provider : pulumiProvider
  const made = pulumiProvider === '' ? undefined : hint
  if (made !== undefined) requireVersion(made.version, false)
  const ecosystem = request.ecosystem === '' ? usualEcosystem : request.ecosystem
  const names = host.listInstalled?.() ?? []
  const order = [...names.filter(name => name === first), ...names.filter(name => name !== first)]
  for (const name of order) {
    const target: PluginTarget = {
      ...{ name, version: '', downloadUrl: '' },
      made: name === first ? made : undefined,
    }
    const data = await describePlugin(host, target, description =>
      requestMapping(description, { ecosystem, provider }),
    )
    if (data !== undefined) return { data: Buffer.from(data) }
  }
  return { data: Buffer.alloc(0) }
}

/**
 * Returns a plugin's mapping for a provider: the one with its name, or else the plugin's only one.
 */
async function requestMapping(
  description: ProviderDescription,
  of: { readonly ecosystem: string; readonly provider: string },
): Promise<Uint8Array | undefined> {
  const { ecosystem, provider } = of
  const isNamed = (await description.listMappings(ecosystem)).includes(provider)
  const found = await description.getMapping(isNamed ? of : { ecosystem, provider: '' })
  if (found.provider === provider) return found.data
  if (!isNamed) return undefined
  throw new Error(
    `unexpected provider in ${ecosystem} mapping response for provider ${provider}: ${found.provider}`,
  )
}

/** Queries a plugin about itself with an instance that is started for this purpose. */
async function describePlugin<T>(
  host: DescriptionHost,
  { name, version, downloadUrl, made }: PluginTarget,
  work: (description: ProviderDescription) => Promise<T>,
): Promise<T> {
  const pkg = made?.name ?? name
  const plugin = { kind: 'resource', name, version, downloadUrl }
  const instance = await host.load(plugin, { pkg, config: {} }).catch((thrown: unknown) => {
    throw new Error(`could not create provider for package ${pkg}: ${messageOf(thrown)}`)
  })
  try {
    const value = Buffer.from(made?.value ?? []).toString('base64')
    if (made !== undefined)
      await instance.parameterize({ name: made.name, version: withoutPrefix(made.version), value })
    if (instance.describe === undefined) throw new Error(`package ${pkg} has no schema`)
    return await work(instance.describe)
  } finally {
    await instance.close()
  }
}

function requireVersion(version: string, mayBeAbsent = true): void {
  if (version === '' && mayBeAbsent) return
  if (semver.valid(withoutPrefix(version)) === null)
    throw new Error(`${version} not a valid semver`)
}

function withoutPrefix(version: string): string {
  return version.replace(/^v/, '')
}
