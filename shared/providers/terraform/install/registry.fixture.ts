import { createHash } from 'node:crypto'
import { createSigningKey, type SigningKey } from './openpgp/signing-key.fixture.ts'
import { packZip } from './zip.fixture.ts'

/** A published version of a provider in the registry of a test. */
export interface ProviderRelease {
  readonly version: string
  /** The content of the executable. */
  readonly executable: Buffer
  /** Go's names of a system and an architecture, such as `linux_amd64`. */
  readonly platforms: readonly string[]
}

/** A response of the registry. */
export interface FixtureResponse {
  readonly status: number
  readonly body: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** Changes of the registry's responses, which a test sets. */
export interface RegistryFaults {
  /** Replaces the bytes of packages, so that they do not match their checksum. */
  package?: Buffer
  /** The key that signs, in place of the one that the registry returns. */
  signingKey?: SigningKey
  /** The keys that the registry returns. */
  publicKeys?: readonly string[]
  /** Whether the checksum document has other checksums than the description. */
  hasOtherChecksums?: boolean
  protocols?: readonly string[]
  packageHashes?: readonly string[]
  /** The token that the registry demands. */
  token?: string
}

/** A registry with one provider. */
export interface RegistryFixture {
  readonly faults: RegistryFaults
  /** Paths of the requests so far. */
  readonly requests: readonly string[]
  readonly key: SigningKey
  readonly zipOf: (version: string) => Buffer
  readonly respond: (
    path: string,
    headers: { readonly authorization?: string | undefined },
  ) => FixtureResponse
}

/** Creates the registry of the provider `golden/TYPE`. */
export function createRegistryFixture(
  type: string,
  versions: readonly ProviderRelease[],
): RegistryFixture {
  const key = createSigningKey()
  const faults: RegistryFaults = {}
  const requests: string[] = []
  const zips = new Map(
    versions.map(({ version, executable }) => {
      const name = `terraform-provider-${type}_v${version}_x5`
      const members = [
        { name: 'LICENSE', content: Buffer.from('a license\n') },
        { name, content: executable, mode: 0o100755 },
      ]
      return [version, packZip(members)] as const
    }),
  )
  const zipOf = (version: string): Buffer => zips.get(version) ?? Buffer.alloc(0)
  const nameOf = (version: string, platform: string): string =>
    `terraform-provider-${type}_${version}_${platform}.zip`
  const checksumsOf = ({ version, platforms }: ProviderRelease): Buffer => {
    const bytes = faults.hasOtherChecksums === true ? Buffer.from('other') : zipOf(version)
    return Buffer.from(
      platforms.map(platform => `${sha256Of(bytes)}  ${nameOf(version, platform)}\n`).join(''),
    )
  }
  const describe = ({ version }: ProviderRelease, platform: string): unknown => {
    const filename = nameOf(version, platform)
    const [os, arch] = platform.split('_')
    return {
      protocols: faults.protocols ?? ['5.0'],
      os,
      arch,
      filename,
      download_url: `/files/${version}/${filename}`,
      shasum: sha256Of(zipOf(version)),
      shasums_url: `/files/${version}/SHA256SUMS`,
      shasums_signature_url: `/files/${version}/SHA256SUMS.sig`,
      signing_keys: {
        gpg_public_keys: (faults.publicKeys ?? [key.armoredKey]).map(armored => ({
          key_id: '',
          ascii_armor: armored,
        })),
      },
      ...(faults.packageHashes === undefined
        ? {}
        : { packages: { [platform]: { hashes: faults.packageHashes } } }),
    }
  }
  const findFile = (path: string): FixtureResponse => {
    if (path === '/.well-known/terraform.json')
      return toJson({ 'providers.v1': '/registry/v1/providers/' })
    const base = `/registry/v1/providers/golden/${type}/`
    if (path === `${base}versions`)
      return toJson({
        versions: versions.map(({ version, platforms }) => ({
          version,
          protocols: ['5.0'],
          platforms: platforms.map(platform => ({ platform })),
        })),
      })
    for (const published of versions) {
      const { version, platforms } = published
      for (const platform of platforms) {
        if (path === `${base}${version}/download/${platform.replace('_', '/')}`)
          return toJson(describe(published, platform))
        if (path === `/files/${version}/${nameOf(version, platform)}`)
          return { status: 200, body: faults.package ?? zipOf(version) }
      }
      const checksums = checksumsOf(published)
      if (path === `/files/${version}/SHA256SUMS`) return { status: 200, body: checksums }
      if (path === `/files/${version}/SHA256SUMS.sig`)
        return { status: 200, body: (faults.signingKey ?? key).sign(checksums) }
    }
    return { status: 404, body: Buffer.from('{"errors":["Not Found"]}') }
  }
  return {
    faults,
    requests,
    key,
    zipOf,
    respond(path, { authorization }) {
      requests.push(path)
      const isDenied =
        faults.token !== undefined &&
        path.startsWith('/registry/') &&
        authorization !== `Bearer ${faults.token}`
      return isDenied ? { status: 401, body: Buffer.from('{}') } : findFile(path)
    },
  }
}

function toJson(json: unknown): FixtureResponse {
  return {
    status: 200,
    body: Buffer.from(JSON.stringify(json)),
    headers: { 'Content-Type': 'application/json' },
  }
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
