import { valid } from 'semver'
import type {
  Parameterization,
  RegisterPackageRequest,
} from '../../../proto/gen/pulumi/resource.ts'
import { createError } from '../../errors/error.ts'
import { type PackageRequest, withExtensionRef } from '../../providers/package-request.ts'

/** The packages that a program registered, by the references that it received. */
export interface Packages {
  /**
   * Returns the reference of a package. Equal packages share one. Throws PACKAGE_INVALID for an
   * empty name or an invalid version.
   */
  readonly register: (request: RegisterPackageRequest) => string
  /** Returns the package of a reference. Throws PACKAGE_INVALID for an unknown one. */
  readonly lookup: (ref: string) => PackageRequest
}

/**
 * Creates an empty collection for the packages of one program run. `uuid` creates their references,
 * which are valid in this run only. The reference of an extension is a hash of its content, because
 * states store this reference. Source: docs/spec/monitor.md#registerpackage.
 */
export function createPackages(uuid: () => string): Packages {
  const requestsByRef = new Map<string, PackageRequest>()
  const refsByContentKey = new Map<string, string>()
  return {
    register(request) {
      const packageRequest = readPackage(request)
      const { extension } = packageRequest
      // An extension is identified by its content alone, whichever plugin the request specifies.
      const contentKey = extension?.ref ?? contentKeyOf(packageRequest)
      const existingRef = refsByContentKey.get(contentKey)
      if (existingRef !== undefined) return existingRef
      const ref = extension?.ref ?? uuid()
      refsByContentKey.set(contentKey, ref)
      requestsByRef.set(ref, packageRequest)
      return ref
    },
    lookup(ref) {
      const packageRequest = requestsByRef.get(ref)
      if (packageRequest === undefined)
        throw createError('PACKAGE_INVALID', `unknown provider package '${ref}'`)
      return packageRequest
    },
  }
}

/**
 * Converts a request to register a package. The fields `parameterization` and `extension` contain
 * parameters. The other fields specify the plugin.
 */
function readPackage(request: RegisterPackageRequest): PackageRequest {
  const { name, version, parameterization, extension } = request
  if (name === '') throw createError('PACKAGE_INVALID', 'package name is empty')
  requireVersion('package', version)
  const plugin = {
    version,
    downloadUrl: request.downloadUrl.replace(/\/$/, ''),
    checksums: toHexChecksums(request.checksums),
  }
  const parts = {
    ...(parameterization === undefined
      ? {}
      : { parameters: { plugin: name, ...toBase64Parameters(parameterization) } }),
    ...(extension === undefined
      ? {}
      : {
          extension: withExtensionRef({ name: extension.name, ...toBase64Parameters(extension) }),
        }),
  }
  return { pkg: parameterization?.name ?? name, ...plugin, ...parts }
}

function toBase64Parameters({ version, value }: Parameterization): {
  version: string
  value: string
} {
  requireVersion('parameter', version, false)
  return { version, value: Buffer.from(value).toString('base64') }
}

/**
 * Throws PACKAGE_INVALID for a text that is not a semantic version. `role`: the noun before
 * `version` in the message, such as `package`.
 */
export function requireVersion(role: string, version: string, mayBeAbsent = true): void {
  if (version === '' && mayBeAbsent) return
  // Only a complete version is accepted here. `valid` alone would also accept a leading `v` and
  // blanks.
  if (/^\d/.test(version) && valid(version) !== null) return
  throw createError(
    'PACKAGE_INVALID',
    `parse ${role} version ${version}: it is not a semantic version`,
  )
}

/** Converts checksums to hexadecimal texts, as provider inputs contain them. */
export function toHexChecksums(
  checksums: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, string> {
  return new Map(
    [...checksums].map(([key, checksum]) => [key, Buffer.from(checksum).toString('hex')]),
  )
}

function contentKeyOf({ checksums, ...request }: PackageRequest): string {
  return JSON.stringify([request, [...checksums].sort(([a], [b]) => (a < b ? -1 : 1))])
}
