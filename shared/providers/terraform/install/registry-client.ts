import * as z from 'zod'
import { createError } from '../../../errors/error.ts'
import { parseJson } from '../../../values/parse-json.ts'
import type { CliSettings } from './cli-settings.ts'
import type { PackagePlatform } from './package-folders.ts'
import { formatSourceAddress, type SourceAddress } from './source-address.ts'
import { fetchDocument, type RegistryHttpDeps, type RegistryResponse } from './registry-http.ts'
import { parseForm } from '../../../values/parse-form.ts'

/** The client of all registries. The host of an address names the registry. */
export interface RegistryClient {
  /** Throws TERRAFORM_PROVIDER_UNKNOWN, and the errors of requests. */
  readonly listVersions: (address: SourceAddress) => Promise<readonly string[]>
  /**
   * Returns the description of a package, with absolute addresses. Throws
   * TERRAFORM_PLATFORM_UNSUPPORTED, TERRAFORM_PROVIDER_UNKNOWN for a host without a registry, and
   * the errors of requests.
   */
  readonly fetchDescription: (
    address: SourceAddress,
    version: string,
    platform: PackagePlatform,
  ) => Promise<RegistryPackage>
}

/** The description of a package in a registry. */
export interface RegistryPackage {
  readonly filename: string
  readonly downloadUrl: string
  /** SHA-256 of the package in hex. */
  readonly shasum: string
  readonly shasumsUrl: string
  readonly signatureUrl: string
  /** Public keys as ASCII armor. */
  readonly publicKeys: readonly string[]
  /** Hashes of the package. Empty if the registry has none for this platform. */
  readonly hashes: readonly string[]
  /** Undefined if the registry has no size for this platform. */
  readonly sizeBytes: number | undefined
}

const discoveryForm = z.looseObject({ 'providers.v1': z.string().optional() })

const versionsForm = z.looseObject({
  versions: z.array(z.looseObject({ version: z.string() })).nullish(),
  warnings: z.array(z.string()).nullish(),
})

const packageForm = z.looseObject({
  protocols: z.array(z.string()).nullish(),
  filename: z.string().regex(/^[^/\\]+$/),
  download_url: z.string(),
  shasum: z.string().regex(/^[0-9a-fA-F]{64}$/),
  shasums_url: z.string(),
  shasums_signature_url: z.string(),
  signing_keys: z
    .looseObject({ gpg_public_keys: z.array(z.looseObject({ ascii_armor: z.string() })).nullish() })
    .nullish(),
  packages: z
    .record(
      z.string(),
      z.looseObject({ hashes: z.array(z.string()).nullish(), package_size: z.number().nullish() }),
    )
    .nullish(),
})

/** The settings of a user that concern registries. */
type RegistrySettings = Pick<CliSettings, 'tokens' | 'registries' | 'hasCredentialsHelper'>

/**
 * Creates the client of the registries. The address of each host's registry is looked up once.
 * All its functions throw TERRAFORM_REGISTRY_UNREACHABLE, TERRAFORM_REGISTRY_INVALID and
 * TERRAFORM_CREDENTIALS.
 */
export function createRegistryClient(
  deps: RegistryHttpDeps,
  settings: RegistrySettings,
): RegistryClient {
  const baseUrls = new Map<string, Promise<string>>()
  const baseUrlOf = (hostname: string): Promise<string> => {
    const earlierLookup = baseUrls.get(hostname)
    if (earlierLookup !== undefined) return earlierLookup
    const lookup = discoverRegistry(hostname, deps, settings)
    baseUrls.set(hostname, lookup)
    return lookup
  }
  const request = async (address: SourceAddress, path: string): Promise<RegistryResponse> => {
    const { hostname, namespace, type } = address
    const baseUrl = await baseUrlOf(hostname)
    const url = `${baseUrl}${encodeURIComponent(namespace)}/${encodeURIComponent(type)}/${path}`
    const response = await fetchDocument({ url, token: settings.tokens.get(hostname) }, deps)
    if (response.status === 401 || response.status === 403)
      throw createCredentialsError(hostname, settings)
    return response
  }
  return {
    async listVersions(address) {
      const response = await request(address, 'versions')
      if (response.status === 404) throw createUnknownProviderError(address)
      const { versions, warnings } = parseResponse(versionsForm, response)
      for (const warning of warnings ?? [])
        deps.report('warning', `${formatSourceAddress(address)}: ${warning}`)
      return (versions ?? []).map(({ version }) => version.replace(/^v/, ''))
    },
    async fetchDescription(address, version, { os, arch }) {
      const response = await request(address, `${version}/download/${os}/${arch}`)
      const title = `${formatSourceAddress(address)} ${version}`
      if (response.status === 404)
        throw createError(
          'TERRAFORM_PLATFORM_UNSUPPORTED',
          `${title} has no package for ${os} ${arch}`,
        )
      const description = parseResponse(packageForm, response)
      requireProtocol(title, description.protocols ?? [])
      return toRegistryPackage(description, response.url, `${os}_${arch}`)
    },
  }
}

function toRegistryPackage(
  description: z.infer<typeof packageForm>,
  url: string,
  platform: string,
): RegistryPackage {
  const resolveUrl = (text: string): string => {
    const resolved = URL.parse(text, url)
    if (resolved !== null) return resolved.href
    throw createInvalidResponseError(url, `'${text}' is not an address`)
  }
  const { hashes, package_size: sizeBytes } = description.packages?.[platform] ?? {}
  return {
    filename: description.filename,
    downloadUrl: resolveUrl(description.download_url),
    shasum: description.shasum.toLowerCase(),
    shasumsUrl: resolveUrl(description.shasums_url),
    signatureUrl: resolveUrl(description.shasums_signature_url),
    publicKeys: (description.signing_keys?.gpg_public_keys ?? []).map(key => key.ascii_armor),
    hashes: hashes ?? [],
    sizeBytes: sizeBytes ?? undefined,
  }
}

/** Throws TERRAFORM_PLATFORM_UNSUPPORTED if a package has only protocols before 5 or after 6. */
function requireProtocol(title: string, protocols: readonly string[]): void {
  const isSupported = protocols.some(protocol => /^[56](?:\.|$)/.test(protocol))
  if (isSupported || protocols.length === 0) return
  throw createError(
    'TERRAFORM_PLATFORM_UNSUPPORTED',
    `${title} has only the protocols ${protocols.join(', ')}, but must have 5 or 6`,
  )
}

/** Returns the base address of a host's provider registry, with a slash at its end. */
async function discoverRegistry(
  hostname: string,
  deps: RegistryHttpDeps,
  settings: RegistrySettings,
): Promise<string> {
  const discoveryUrl = `https://${hostname}/.well-known/terraform.json`
  const configuredUrl = settings.registries.get(hostname)
  if (configuredUrl !== undefined) return toBaseUrl(configuredUrl, discoveryUrl)
  const token = settings.tokens.get(hostname)
  const response = await fetchDocument({ url: discoveryUrl, token }, deps)
  if (response.status === 401 || response.status === 403)
    throw createCredentialsError(hostname, settings)
  const services = response.status === 404 ? {} : parseResponse(discoveryForm, response)
  const path = services['providers.v1']
  if (path === undefined)
    throw createError(
      'TERRAFORM_PROVIDER_UNKNOWN',
      `the host ${hostname} has no registry of providers`,
    )
  return toBaseUrl(path, response.url)
}

function toBaseUrl(path: string, origin: string): string {
  const url = URL.parse(path, origin)
  if (url === null) throw createInvalidResponseError(origin, `'${path}' is not an address`)
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

function parseResponse<T>(form: z.ZodType<T>, response: RegistryResponse): T {
  const { status, url, bytes } = response
  if (status !== 200) throw createInvalidResponseError(url, `the server responded with ${status}`)
  const parsed = parseForm(form, parseJson(bytes.toString('utf8')))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw createInvalidResponseError(url, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}

function createInvalidResponseError(url: string, problem: string): Error {
  return createError('TERRAFORM_REGISTRY_INVALID', `invalid response of ${url}: ${problem}`)
}

function createUnknownProviderError(address: SourceAddress): Error {
  return createError(
    'TERRAFORM_PROVIDER_UNKNOWN',
    `the registry ${address.hostname} has no provider ${formatSourceAddress(address)}`,
  )
}

function createCredentialsError(
  hostname: string,
  { tokens, hasCredentialsHelper }: Pick<CliSettings, 'tokens' | 'hasCredentialsHelper'>,
): Error {
  const problem = tokens.has(hostname) ? 'does not accept the token' : 'requires a token'
  const helper = hasCredentialsHelper ? ' (credentials helpers are not used)' : ''
  return createError('TERRAFORM_CREDENTIALS', `the registry ${hostname} ${problem}${helper}`)
}
