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
import type { Describing } from '../../providers/describing.ts'
import { isGitAddress } from '../../providers/install/git-address.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { inTurn } from '../in-turn.ts'

type Host = Pick<PluginHost, 'load' | 'installed'>

/** A plugin, and what makes another package of it. */
interface Asked {
  readonly name: string
  readonly version: string
  readonly downloadUrl: string
  readonly made: Parameterization | undefined
}

/**
 * The handlers of the service that gives schemas: its own word, of an instance that is started for
 * it and ended.
 */
export function loaderHandlers(host: () => Host) {
  return {
    async getSchema(request: GetSchemaRequest): Promise<GetSchemaResponse> {
      const { package: name, version, downloadUrl, parameterization: made } = request
      requireVersion(version)
      if (made !== undefined) requireVersion(made.version, false)
      const asked: Asked = { name, version: plain(version), downloadUrl, made }
      const of = { name: made?.name ?? '', version: made === undefined ? '' : plain(made.version) }
      const text = await describe(host(), asked, about => about.schema(of))
      const ours = isGitAddress(downloadUrl) ? versioned(text, asked) : text
      return { schema: Buffer.from(ours) }
    },
  }
}

/** The schema of a plugin from a repository has the version by which it was asked for. */
function versioned(text: string, { name, version }: Asked): string {
  if (version === '') return text
  try {
    return JSON.stringify({ ...Object(JSON.parse(text)), version })
  } catch (cause) {
    const what = `the schema of '${name}' is no JSON: ${messageOf(cause)}`
    throw error('PLUGIN_FAILED', what, { cause })
  }
}

/** The ecosystem that is meant where a request names none. */
const usualEcosystem = 'terraform'

/**
 * The handlers of the service that gives mappings. All plugins that are installed are asked, the
 * one that is named like the provider, or by the request, first; empty when none knows it.
 */
export function mapperHandlers(host: () => Host) {
  // Each asks every plugin: two at once would start all of them twice.
  const one = inTurn()
  return {
    getMapping(request: GetMappingRequest): Promise<GetMappingResponse> {
      return one(() => mappingOf(host(), request))
    },
  }
}

async function mappingOf(host: Host, request: GetMappingRequest): Promise<GetMappingResponse> {
  const { provider, pulumiProvider, parameterizationHint: hint } = request
  const first = pulumiProvider === '' ? provider : pulumiProvider
  const made = pulumiProvider === '' ? undefined : hint
  if (made !== undefined) requireVersion(made.version, false)
  const ecosystem = request.ecosystem === '' ? usualEcosystem : request.ecosystem
  const names = host.installed?.() ?? []
  const order = [...names.filter(name => name === first), ...names.filter(name => name !== first)]
  for (const name of order) {
    const asked: Asked = {
      ...{ name, version: '', downloadUrl: '' },
      made: name === first ? made : undefined,
    }
    const data = await describe(host, asked, about => mappingBy(about, { ecosystem, provider }))
    if (data !== undefined) return { data: Buffer.from(data) }
  }
  return { data: Buffer.alloc(0) }
}

/** What one plugin knows of a provider: as one that it names, else as the one that it has. */
async function mappingBy(
  about: Describing,
  of: { readonly ecosystem: string; readonly provider: string },
): Promise<Uint8Array | undefined> {
  const { ecosystem, provider } = of
  const isNamed = (await about.mappings(ecosystem)).includes(provider)
  const found = await about.mapping(isNamed ? of : { ecosystem, provider: '' })
  if (found.provider === provider) return found.data
  if (!isNamed) return undefined
  throw new Error(
    `unexpected provider in ${ecosystem} mapping response for provider ${provider}: ${found.provider}`,
  )
}

/** Asks a plugin about itself, of which an instance runs only for that. */
async function describe<T>(
  host: Host,
  { name, version, downloadUrl, made }: Asked,
  work: (about: Describing) => Promise<T>,
): Promise<T> {
  const pkg = made?.name ?? name
  const plugin = { kind: 'resource', name, version, downloadUrl }
  const instance = await host.load(plugin, { pkg, config: {} }).catch((thrown: unknown) => {
    throw new Error(`could not create provider for package ${pkg}: ${messageOf(thrown)}`)
  })
  try {
    const value = Buffer.from(made?.value ?? []).toString('base64')
    if (made !== undefined)
      await instance.parameterize({ name: made.name, version: plain(made.version), value })
    if (instance.describe === undefined) throw new Error(`package ${pkg} has no schema`)
    return await work(instance.describe)
  } finally {
    await instance.close()
  }
}

function requireVersion(version: string, mayBeAbsent = true): void {
  if (version === '' && mayBeAbsent) return
  if (semver.valid(plain(version)) === null) throw new Error(`${version} not a valid semver`)
}

function plain(version: string): string {
  return version.replace(/^v/, '')
}
