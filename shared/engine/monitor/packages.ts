import { valid } from 'semver'
import type {
  Parameterization,
  RegisterPackageRequest,
} from '../../../proto/gen/pulumi/resource.ts'
import { error } from '../../errors/error.ts'
import { type PackageRequest, withRef } from '../../providers/package-request.ts'

/** The packages that a program registered, by the references that it was answered. */
export interface Packages {
  /** Equal packages get one reference. Throws PACKAGE_INVALID. */
  readonly register: (request: RegisterPackageRequest) => string
  /** Throws PACKAGE_INVALID for a reference that nobody was given. */
  readonly lookup: (ref: string) => PackageRequest
}

/**
 * Keeps packages for one run of a program: their references say nothing to anyone else. `uuid`
 * makes those of all but extensions, whose references states carry. Source:
 * docs/spec/monitor.md#resourcemonitor.
 */
export function createPackages(uuid: () => string): Packages {
  const byRef = new Map<string, PackageRequest>()
  const byContent = new Map<string, string>()
  return {
    register(request) {
      const packageRequest = readPackage(request)
      const { extension } = packageRequest
      // An extension is what it is, whichever plugin was named with it first.
      const content = extension?.ref ?? contentOf(packageRequest)
      const known = byContent.get(content)
      if (known !== undefined) return known
      const ref = extension?.ref ?? uuid()
      byContent.set(content, ref)
      byRef.set(ref, packageRequest)
      return ref
    },
    lookup(ref) {
      const found = byRef.get(ref)
      if (found === undefined) throw error('PACKAGE_INVALID', `unknown provider package '${ref}'`)
      return found
    },
  }
}

/** The fields of the request name the plugin; what it becomes is in a part of its own. */
function readPackage(request: RegisterPackageRequest): PackageRequest {
  const { name, version, parameterization, extension } = request
  if (name === '') throw error('PACKAGE_INVALID', 'package name is empty')
  requireVersion('package', version)
  const plugin = {
    version,
    downloadUrl: request.downloadUrl.replace(/\/$/, ''),
    checksums: toHexChecksums(request.checksums),
  }
  const parts = {
    ...(parameterization === undefined
      ? {}
      : { parameters: { plugin: name, ...blobOf(parameterization) } }),
    ...(extension === undefined
      ? {}
      : { extension: withRef({ name: extension.name, ...blobOf(extension) }) }),
  }
  return { pkg: parameterization?.name ?? name, ...plugin, ...parts }
}

function blobOf({ version, value }: Parameterization): { version: string; value: string } {
  requireVersion('parameter', version, false)
  return { version, value: Buffer.from(value).toString('base64') }
}

/** Refuses with PACKAGE_INVALID what is no semantic version. */
export function requireVersion(what: string, version: string, mayBeAbsent = true): void {
  if (version === '' && mayBeAbsent) return
  // Only what is written in full is a version here: `valid` alone takes a leading `v`, and blanks.
  if (/^\d/.test(version) && valid(version) !== null) return
  throw error('PACKAGE_INVALID', `parse ${what} version ${version}: it is not a semantic version`)
}

/** Checksums as a provider's inputs keep them. */
export function toHexChecksums(
  checksums: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, string> {
  return new Map([...checksums].map(([key, sum]) => [key, Buffer.from(sum).toString('hex')]))
}

function contentOf({ checksums, ...request }: PackageRequest): string {
  return JSON.stringify([request, [...checksums].sort(([a], [b]) => (a < b ? -1 : 1))])
}
