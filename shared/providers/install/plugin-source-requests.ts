import { Readable } from 'node:stream'
import semver from 'semver'
import * as z from 'zod'
import { installLimits as limits } from '../../config/install-limits.ts'
import { DeployError, createError, hasCode, messageOf } from '../../errors/error.ts'
import { findLatestVersionInRepository, type RunGit } from './git-repository.ts'
import {
  archiveUrlOf,
  assetNameOf,
  type PluginSource,
  type PluginRequest,
} from './plugin-address.ts'
import { hideCredentials } from './hide-credentials.ts'

/** Dependencies of requests to the sources of plugins. */
export interface FetchDeps {
  readonly fetch: typeof fetch
  readonly git: RunGit
  readonly env: Readonly<Record<string, string>>
  readonly machine: { readonly os: string; readonly arch: string }
  /** The version in the user agent of requests. */
  readonly version: string
}

/**
 * The error of a refused request. `isFinal`: a retry is useless. `isRateLimited`: the server
 * accepts no more requests of this caller for some time.
 */
export class RefusedError extends Error {
  readonly isFinal: boolean
  readonly isRateLimited: boolean
  readonly status: number
  constructor(message: string, status: number, { isRateLimited = false } = {}) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.isRateLimited = isRateLimited
    this.isFinal = status === 403 || status === 404
  }
}

/** A source that has archives. */
export type ArchiveSource = Exclude<PluginSource, { readonly kind: 'git' }>

/**
 * Opens the archive of a plugin at a source. Throws `RefusedError` when the source refuses or lacks
 * the archive, and `Error` when it does not respond. Source:
 * docs/spec/provider-protocol.md#download-sources.
 */
export async function openPluginArchive(
  source: ArchiveSource,
  plugin: PluginRequest,
  deps: FetchDeps,
): Promise<Readable> {
  const assetName = assetNameOf(plugin, deps.machine)
  if (source.kind === 'http')
    return toReadable(await fetchUrl(archiveUrlOf(source.url, plugin, deps.machine), deps))
  if (source.kind === 'gitlab') {
    const releasesUrl = `https://${source.host}/api/v4/projects/${source.project}/releases`
    const token = deps.env['GITLAB_TOKEN'] ?? ''
    const authorization = token === '' ? '' : `Bearer ${token}`
    const url = `${releasesUrl}/v${plugin.version}/downloads/${assetName}`
    return toReadable(
      await fetchUrl(url, deps, { accept: 'application/octet-stream', authorization }),
    )
  }
  const { host, organization, repository } = source
  if (host === 'api.github.com' && organization === 'pulumi') {
    const releaseUrl = `https://github.com/${organization}/${repository}/releases/download`
    // The direct download does not count against the rate limit of the API. If it fails, the API
    // reports the reason.
    const directDownload = fetchUrl(`${releaseUrl}/v${plugin.version}/${assetName}`, deps).catch(
      () => undefined,
    )
    const response = await directDownload
    if (response !== undefined) return toReadable(response)
  }
  const githubReleasesUrl = `https://${host}/repos/${organization}/${repository}/releases`
  const releaseResponse = await fetchFromGithub(
    `${githubReleasesUrl}/tags/v${plugin.version}`,
    deps,
    'application/json',
  )
  const { assets } = releaseForm.parse(await readJson(releaseResponse))
  const url = assets.find(({ name }) => name === assetName)?.url
  if (url === undefined) throw new RefusedError(`plugin asset '${assetName}' not found`, 404)
  return toReadable(await fetchFromGithub(url, deps, 'application/octet-stream'))
}

const releaseForm = z.looseObject({
  tag_name: z.string().default(''),
  assets: z.array(z.looseObject({ name: z.string(), url: z.string() })).default([]),
})

/**
 * Returns the latest version of a source. Throws PLUGIN_ADDRESS for a plain server, and when the
 * latest release has no valid version. Throws PLUGIN_DOWNLOAD for every other failure.
 */
export async function fetchLatestVersion(
  source: PluginSource,
  plugin: Pick<PluginRequest, 'kind' | 'name'>,
  deps: FetchDeps,
): Promise<string> {
  try {
    return await requestLatestVersion(source, plugin, deps)
  } catch (thrown) {
    if (hasCode(thrown, 'PLUGIN_ADDRESS')) throw thrown
    const title = `${plugin.kind} plugin ${plugin.name}`
    throw createError(
      'PLUGIN_DOWNLOAD',
      `the latest version of ${title} is not known: ${messageOf(thrown)}`,
      { cause: thrown },
    )
  }
}

async function requestLatestVersion(
  source: PluginSource,
  plugin: Pick<PluginRequest, 'kind' | 'name'>,
  deps: FetchDeps,
): Promise<string> {
  if (source.kind === 'git') return findLatestVersionInRepository(source.url, deps.git)
  if (source.kind === 'http')
    throw createError(
      'PLUGIN_ADDRESS',
      `the latest version of ${plugin.kind} plugin ${plugin.name} is not known: ${hideCredentials(source.url)} is a plain server; specify a version`,
    )
  const isGithub = source.kind === 'github'
  const url = isGithub
    ? `https://${source.host}/repos/${source.organization}/${source.repository}/releases/latest`
    : `https://${source.host}/api/v4/projects/${source.project}/releases/permalink/latest`
  const accept = 'application/json'
  // GitLab must not get the token of GitHub.
  const response = isGithub
    ? await fetchFromGithub(url, deps, accept)
    : await fetchUrl(url, deps, { accept, authorization: '' })
  const { tag_name: tag } = releaseForm.parse(await readJson(response))
  const version = semver.parse(tag.replace(/^v/, ''))?.raw
  if (version !== undefined) return version
  throw createError(
    'PLUGIN_ADDRESS',
    `${url} reports '${tag}' as the latest version, which is not a valid version`,
  )
}

/**
 * Fetches an address of a GitHub server. Retries without the token when the token has no access,
 * because the repository may be public.
 */
async function fetchFromGithub(url: string, deps: FetchDeps, accept: string): Promise<Response> {
  const token = deps.env['GITHUB_TOKEN'] ?? ''
  try {
    return await fetchUrl(url, deps, {
      accept,
      authorization: token === '' ? '' : `token ${token}`,
    })
  } catch (thrown) {
    const isTokenRefused =
      thrown instanceof RefusedError && [401, 403].includes(thrown.status) && !thrown.isRateLimited
    if (token === '' || !isTokenRefused) throw thrown
    return fetchUrl(url, deps, { accept, authorization: '' })
  }
}

async function fetchUrl(
  url: string,
  { fetch: send, version }: FetchDeps,
  options: { readonly accept: string; readonly authorization: string } = {
    accept: '*/*',
    authorization: '',
  },
): Promise<Response> {
  const { accept, authorization } = options
  const headers = {
    'User-Agent': `pulumi-cli/1 (${version}; ${process.platform})`,
    Accept: accept,
    ...(authorization === '' ? {} : { Authorization: authorization }),
  }
  const idleAbort = new AbortController()
  const timer = setTimeout(
    () => idleAbort.abort(new Error('the server does not respond')),
    limits.downloadIdleMs,
  )
  let response: Response
  try {
    response = await send(url, { headers, signal: idleAbort.signal })
  } catch (cause) {
    if (cause instanceof DeployError) throw cause
    const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    throw new Error(`cannot reach ${hideCredentials(url)}: ${messageOf(reason)}`, { cause })
  } finally {
    clearTimeout(timer)
  }
  if (response.ok) return response
  await response.body?.cancel()
  const { status } = response
  if (status === 403 && response.headers.get('x-ratelimit-remaining') === '0')
    throw new RefusedError(
      `rate limit exceeded at ${hideCredentials(url)}; set GITHUB_TOKEN for a higher limit`,
      status,
      { isRateLimited: true },
    )
  const mayBePrivate = status === 404 && URL.parse(url)?.host === 'api.github.com'
  const hint = mayBePrivate ? '; set GITHUB_TOKEN for a private repository' : ''
  throw new RefusedError(
    `${status} HTTP error fetching plugin from ${hideCredentials(url)}${hint}`,
    status,
  )
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of toReadable(response)) {
    const bytes = Buffer.from(chunk)
    sizeBytes += bytes.length
    if (sizeBytes > limits.releaseBytesMax)
      throw new Error('the response of the server is too large')
    chunks.push(bytes)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function toReadable({ body }: Response): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body)
}
