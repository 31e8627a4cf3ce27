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
import { createError, messageOf } from '../../errors/error.ts'
import type { ProviderDescription } from '../../providers/provider-description.ts'
import { isGitAddress } from '../../providers/install/git-address.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { createSerialQueue } from '../serial-queue.ts'

type DescriptionHost = Pick<PluginHost, 'load' | 'listInstalled'>

/** A plugin. With `parameterization`, it serves the package that these parameters define. */
interface PluginTarget {
  readonly name: string
  readonly version: string
  readonly downloadUrl: string
  readonly parameterization: Parameterization | undefined
}

/**
 * Creates the handlers of the schema service. A schema comes from a plugin instance that is started
 * for the request and ended after it.
 */
export function createLoaderHandlers(host: () => DescriptionHost) {
  return {
    async getSchema(request: GetSchemaRequest): Promise<GetSchemaResponse> {
      const { package: name, version, downloadUrl, parameterization } = request
      requireVersionText(version)
      if (parameterization !== undefined) requireVersionText(parameterization.version, false)
      const target: PluginTarget = {
        name,
        version: removeVersionPrefix(version),
        downloadUrl,
        parameterization,
      }
      const packageIdentity = {
        name: parameterization?.name ?? '',
        version:
          parameterization === undefined ? '' : removeVersionPrefix(parameterization.version),
      }
      const text = await queryPlugin(host(), target, description =>
        description.getSchema(packageIdentity),
      )
      const schema = isGitAddress(downloadUrl) ? addSchemaVersion(text, target) : text
      return { schema: Buffer.from(schema) }
    },
  }
}

/**
 * Returns a schema with the requested version added, because the schema of a plugin from a Git
 * repository may not contain the version.
 */
function addSchemaVersion(text: string, { name, version }: PluginTarget): string {
  if (version === '') return text
  try {
    return JSON.stringify({ ...Object(JSON.parse(text)), version })
  } catch (cause) {
    const message = `the schema of '${name}' is not valid JSON: ${messageOf(cause)}`
    throw createError('PLUGIN_FAILED', message, { cause })
  }
}

/** The ecosystem of a request that specifies none. */
const defaultEcosystem = 'terraform'

/**
 * Creates the handlers of the mapping service. Installed plugins are queried one after another,
 * until one has a mapping. The plugin that the request names, or else the one with the provider's
 * name, is queried first. The result is empty when no plugin has a mapping.
 */
export function createMapperHandlers(host: () => DescriptionHost) {
  // One request may start every plugin. Requests run in turn, so only one plugin runs at a time.
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
  const preferredName = pulumiProvider === '' ? provider : pulumiProvider
  const parameterization = pulumiProvider === '' ? undefined : hint
  if (parameterization !== undefined) requireVersionText(parameterization.version, false)
  const ecosystem = request.ecosystem === '' ? defaultEcosystem : request.ecosystem
  const installedNames = host.listInstalled?.() ?? []
  const orderedNames = [
    ...installedNames.filter(name => name === preferredName),
    ...installedNames.filter(name => name !== preferredName),
  ]
  for (const name of orderedNames) {
    const target: PluginTarget = {
      name,
      version: '',
      downloadUrl: '',
      parameterization: name === preferredName ? parameterization : undefined,
    }
    const data = await queryPlugin(host, target, description =>
      requestMapping(description, { ecosystem, provider }),
    )
    if (data !== undefined) return { data: Buffer.from(data) }
  }
  return { data: Buffer.alloc(0) }
}

/**
 * Returns a plugin's mapping for a provider. If the plugin does not list the provider, the default
 * mapping of the plugin is used, but only if that mapping is for the provider. Undefined without a
 * mapping for the provider. Throws if the plugin lists the provider, but returns the mapping of
 * another one.
 */
async function requestMapping(
  description: ProviderDescription,
  request: { readonly ecosystem: string; readonly provider: string },
): Promise<Uint8Array | undefined> {
  const { ecosystem, provider } = request
  const isListed = (await description.listMappings(ecosystem)).includes(provider)
  const mapping = await description.getMapping(isListed ? request : { ecosystem, provider: '' })
  if (mapping.provider === provider) return mapping.data
  if (!isListed) return undefined
  throw new Error(
    `unexpected provider in ${ecosystem} mapping response for provider ${provider}: ${mapping.provider}`,
  )
}

/**
 * Starts an instance of a plugin, calls `query` with its description service, and ends the
 * instance.
 */
async function queryPlugin<T>(
  host: DescriptionHost,
  { name, version, downloadUrl, parameterization }: PluginTarget,
  query: (description: ProviderDescription) => Promise<T>,
): Promise<T> {
  const pkg = parameterization?.name ?? name
  const plugin = { kind: 'resource', name, version, downloadUrl }
  const instance = await host.load(plugin, { pkg, packageConfig: {} }).catch((thrown: unknown) => {
    throw new Error(`could not create provider for package ${pkg}: ${messageOf(thrown)}`)
  })
  try {
    const value = Buffer.from(parameterization?.value ?? []).toString('base64')
    if (parameterization !== undefined)
      await instance.parameterize({
        name: parameterization.name,
        version: removeVersionPrefix(parameterization.version),
        value,
      })
    if (instance.describe === undefined)
      throw new Error(`package ${pkg} has neither a schema nor mappings`)
    return await query(instance.describe)
  } finally {
    await instance.close()
  }
}

/** Throws for a text that is not a semantic version. A leading `v` is accepted. */
function requireVersionText(version: string, mayBeAbsent = true): void {
  if (version === '' && mayBeAbsent) return
  if (semver.valid(removeVersionPrefix(version)) === null)
    throw new Error(`${version} not a valid semver`)
}

function removeVersionPrefix(version: string): string {
  return version.replace(/^v/, '')
}
