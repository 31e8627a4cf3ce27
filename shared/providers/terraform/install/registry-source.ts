import { hasCode } from '../../../errors/error.ts'
import type { CliSettings } from './cli-settings.ts'
import type { PackageSource, PackageSourceDeps } from './package-source.ts'
import { formatSourceAddress } from './source-address.ts'
import { createRegistryClient } from './registry-client.ts'
import { verifyChecksums } from './verify-checksums.ts'

/**
 * Creates the source of the registries. Its packages have checksums with a verified signature, with
 * the exceptions that `verifyChecksums` permits. Its functions throw the errors of the registry
 * client, TERRAFORM_CHECKSUM and TERRAFORM_SIGNATURE.
 */
export function createRegistrySource(
  settings: CliSettings,
  deps: PackageSourceDeps,
): PackageSource {
  const client = createRegistryClient(deps, settings)
  return {
    title: 'the registry',
    listVersions: client.listVersions,
    async locate(address, version) {
      const description = await client
        .fetchDescription(address, version, deps.platform)
        .catch(async (thrown: unknown) => {
          // The response is 404 for an unknown version and for an unsupported platform.
          if (!hasCode(thrown, 'TERRAFORM_PLATFORM_UNSUPPORTED')) throw thrown
          if ((await client.listVersions(address)).includes(version)) throw thrown
          return undefined
        })
      if (description === undefined) return undefined
      const title = `${formatSourceAddress(address)} ${version}`
      const verifiedHashes = await verifyChecksums(description, { title, address }, deps)
      return {
        kind: 'download',
        url: description.downloadUrl,
        token: undefined,
        sizeBytes: description.sizeBytes,
        sha256: description.shasum,
        acceptedHashes: description.hashes,
        verifiedHashes,
      }
    },
  }
}
