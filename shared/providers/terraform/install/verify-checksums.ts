import { isTruthy } from '../../../config/truthy.ts'
import { createError } from '../../../errors/error.ts'
import { verifyDetachedSignature } from './openpgp/verify-detached.ts'
import { formatZipHash } from './package-hashes.ts'
import type { SourceAddress } from './source-address.ts'
import type { RegistryPackage } from './registry-client.ts'
import { fetchDocument, type RegistryHttpDeps } from './registry-http.ts'

/** Dependencies of verifications. */
export interface VerificationDeps extends RegistryHttpDeps {
  readonly env: Readonly<Record<string, string>>
  readonly now: () => number
}

/** The only registry whose packages may have no signature. Source: OpenTofu. */
const hostWithoutSignatures = 'registry.opentofu.org'

/**
 * Verifies that the checksum document of a version has the checksum of the package, and a signature
 * by a key that the registry returns. An expired key causes a warning, and OpenTofu's registry may
 * return no key. The user can forbid these exceptions with variables. Returns the hashes of all
 * packages. Throws TERRAFORM_CHECKSUM, TERRAFORM_SIGNATURE, TERRAFORM_REGISTRY_INVALID and the
 * errors of requests.
 */
export async function verifyChecksums(
  description: RegistryPackage,
  subject: { readonly title: string; readonly address: SourceAddress },
  deps: VerificationDeps,
): Promise<readonly string[]> {
  const { title, address } = subject
  const document = await fetchRequired(description.shasumsUrl, title, deps)
  const checksums = parseChecksums(document.toString('utf8'))
  if (checksums.get(description.filename) !== description.shasum)
    throw createError(
      'TERRAFORM_CHECKSUM',
      `the checksums of ${title} do not contain the checksum that the registry names for ${description.filename}`,
    )
  if (description.publicKeys.length === 0) refuseWithoutKeys(title, address, deps.env)
  else {
    const signature = await fetchRequired(description.signatureUrl, title, deps)
    checkSignature({ document, signature, title, publicKeys: description.publicKeys }, deps)
  }
  return [...checksums]
    .filter(([name]) => name.endsWith('.zip'))
    .map(([, checksum]) => formatZipHash(checksum))
}

function checkSignature(
  signed: {
    readonly document: Buffer
    readonly signature: Buffer
    readonly title: string
    readonly publicKeys: readonly string[]
  },
  { env, now, report }: VerificationDeps,
): void {
  const { title } = signed
  const check = verifyDetachedSignature(signed.document, signed.signature, {
    armoredKeys: signed.publicKeys,
    nowMs: now(),
  })
  if (check.kind === 'valid') return
  if (check.kind === 'invalid')
    throw createError(
      'TERRAFORM_SIGNATURE',
      `the signature of the checksums of ${title} is not valid: ${check.problem}`,
    )
  const message = `the key ${check.keyId}, which signed the checksums of ${title}, has expired`
  if (isTruthy(env['OPENTOFU_ENFORCE_GPG_EXPIRATION']))
    throw createError('TERRAFORM_SIGNATURE', message)
  report('warning', message)
}

function refuseWithoutKeys(
  title: string,
  { hostname }: SourceAddress,
  env: VerificationDeps['env'],
): void {
  const isOptional =
    hostname === hostWithoutSignatures && !isTruthy(env['OPENTOFU_ENFORCE_GPG_VALIDATION'])
  if (isOptional) return
  throw createError(
    'TERRAFORM_SIGNATURE',
    `the registry ${hostname} has no keys that sign the checksums of ${title}`,
  )
}

/** Parses lines with a checksum in hex and a file name. Returns file name → checksum. */
function parseChecksums(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap(line => {
      const [, checksum = '', name = ''] = /^([0-9a-fA-F]{64}) [ *](\S+)\s*$/.exec(line) ?? []
      return name === '' ? [] : [[name, checksum.toLowerCase()] as const]
    }),
  )
}

async function fetchRequired(url: string, title: string, deps: VerificationDeps): Promise<Buffer> {
  const { status, bytes } = await fetchDocument({ url }, deps)
  if (status === 200) return bytes
  throw createError(
    'TERRAFORM_REGISTRY_INVALID',
    `the checksums of ${title}, or their signature, are missing: the server responded with ${status}`,
  )
}
