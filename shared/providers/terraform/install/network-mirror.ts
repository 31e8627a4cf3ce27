import * as z from 'zod'
import { createError } from '../../../errors/error.ts'
import { parseJson } from '../../../values/parse-json.ts'
import type { CliSettings } from './cli-settings.ts'
import type { PackageSource, PackageSourceDeps } from './package-source.ts'
import { formatSourceAddress, type SourceAddress } from './source-address.ts'
import { fetchDocument, type RegistryResponse } from './registry-http.ts'
import { parseForm } from '../../../values/parse-form.ts'

const indexForm = z.looseObject({ versions: z.record(z.string(), z.unknown()) })

const archivesForm = z.looseObject({
  archives: z.record(
    z.string(),
    z.looseObject({ url: z.string(), hashes: z.array(z.string()).nullish() }),
  ),
})

/**
 * Creates the source of a network mirror. A mirror has no signatures, and its hashes are optional.
 * The functions of the source throw TERRAFORM_REGISTRY_UNREACHABLE, TERRAFORM_REGISTRY_INVALID,
 * TERRAFORM_CREDENTIALS and TERRAFORM_PLATFORM_UNSUPPORTED.
 */
export function createMirrorSource(
  baseUrl: string,
  { tokens }: Pick<CliSettings, 'tokens'>,
  deps: PackageSourceDeps,
): PackageSource {
  const token = tokens.get(new URL(baseUrl).host)
  const request = (address: SourceAddress, name: string): Promise<RegistryResponse> => {
    const url = new URL(`${formatSourceAddress(address)}/${name}`, baseUrl).href
    return fetchDocument({ url, token }, deps)
  }
  return {
    title: baseUrl,
    async listVersions(address) {
      const response = await request(address, 'index.json')
      return Object.keys(parseMirrorResponse(indexForm, response)?.versions ?? {})
    },
    async locate(address, version) {
      const response = await request(address, `${version}.json`)
      const archives = parseMirrorResponse(archivesForm, response)?.archives
      if (archives === undefined) return undefined
      const { os, arch } = deps.platform
      const archive = new Map(Object.entries(archives)).get(`${os}_${arch}`)
      if (archive === undefined)
        throw createError(
          'TERRAFORM_PLATFORM_UNSUPPORTED',
          `${formatSourceAddress(address)} ${version} has no package for ${os} ${arch} at ${baseUrl}`,
        )
      const url = URL.parse(archive.url, response.url)
      if (url === null)
        throw createError(
          'TERRAFORM_REGISTRY_INVALID',
          `invalid response of ${response.url}: '${archive.url}' is not an address`,
        )
      return {
        kind: 'download',
        url: url.href,
        token: url.host === new URL(baseUrl).host ? token : undefined,
        sizeBytes: undefined,
        sha256: undefined,
        acceptedHashes: archive.hashes ?? [],
        verifiedHashes: [],
      }
    },
  }
}

/** Returns undefined for a document that the mirror does not have. */
function parseMirrorResponse<T>(form: z.ZodType<T>, response: RegistryResponse): T | undefined {
  const { status, url, bytes } = response
  if (status === 404) return undefined
  if (status === 401 || status === 403)
    throw createError('TERRAFORM_CREDENTIALS', `the mirror refuses the request for ${url}`)
  const parsed = parseForm(form, status === 200 ? parseJson(bytes.toString('utf8')) : undefined)
  if (parsed.success) return parsed.data
  throw createError(
    'TERRAFORM_REGISTRY_INVALID',
    `invalid response of ${url} with the status ${status}`,
  )
}
