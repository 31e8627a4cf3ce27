import { createError } from '../../shared/errors/error.ts'
import type { RequiredPackage } from '../../shared/programs/required-packages.ts'
import type { PackageRequest } from '../../shared/providers/package-request.ts'
import {
  parsePackageParameter,
  type PackageParameter,
} from '../../shared/providers/terraform/driver/package-parameter.ts'
import { formatPackageParameter } from '../../shared/providers/terraform/driver/package-arguments.ts'
import type { RunningPackage } from '../../shared/providers/terraform/driver/terraform-provider.ts'
import { basePlugin } from '../../shared/providers/terraform/mapping/base-plugin.ts'

/** The choices of the user: address of a provider → version, or path of a local file. */
export type ProviderChoices = ReadonlyMap<string, string>

/** Parses options of the form `address=version` or `address=./path`. Throws CLI_USAGE. */
export function parseProviderChoices(options: readonly string[]): ProviderChoices {
  return new Map(
    options.map(option => {
      const [, address, choice] = /^([^=]+)=(.+)$/.exec(option) ?? []
      if (address === undefined || choice === undefined)
        throw createError(
          'CLI_USAGE',
          `--provider takes <address>=<version or ./path> with --from terraform, not '${option}'`,
        )
      return [address, choice] as const
    }),
  )
}

/** Refuses a choice for a provider that the state does not use. Throws CLI_USAGE. */
export function requireKnownChoices(choices: ProviderChoices, sources: Iterable<string>): void {
  const usedSources = [...sources]
  for (const address of choices.keys())
    if (!usedSources.some(source => isAddressOf(address, source)))
      throw createError(
        'CLI_USAGE',
        `--provider names '${address}', but the state uses only ${usedSources.join(', ')}`,
      )
}

/** Reports whether a full or shortened address, such as `hashicorp/random`, names a provider. */
function isAddressOf(address: string, source: string): boolean {
  return source === address || source.endsWith(`/${address}`)
}

/** The package of a provider, before the provider is installed and started. */
export interface PackageChoice {
  readonly parameter: PackageParameter
  /** The program's requirement of this package. Absent: the program does not require it. */
  readonly required?: RequiredPackage
}

/**
 * Chooses the package of a provider. The user's option comes first, then a package of the program,
 * then the version in Terraform's lock file. The last choice is the newest version, which ''
 * denotes.
 */
export function choosePackage(
  source: string,
  options: {
    readonly choices: ProviderChoices
    readonly requiredPackages: readonly RequiredPackage[]
    readonly lockedVersion: string | undefined
  },
): PackageChoice {
  const packages = options.requiredPackages.flatMap(toPackageChoice)
  const [, choice] = [...options.choices].find(([address]) => isAddressOf(address, source)) ?? []
  if (choice === undefined)
    return (
      packages.find(({ parameter }) => servesSource(parameter, source)) ?? {
        parameter: createRemote(source, options.lockedVersion ?? ''),
      }
    )
  const parameter = /^[./]/.test(choice) ? createLocal(choice) : createRemote(source, choice)
  // The parameter of the program's package is kept, so that the next deployment has no change.
  return packages.find(candidate => isSamePackage(candidate.parameter, parameter)) ?? { parameter }
}

const noFilter = { includes: [], excludes: [], providerName: undefined }

function createRemote(source: string, version: string): PackageParameter {
  return { ...noFilter, kind: 'remote', source, version }
}

function createLocal(path: string): PackageParameter {
  return { ...noFilter, kind: 'local', path }
}

function toPackageChoice(required: RequiredPackage): readonly Required<PackageChoice>[] {
  const { parameters } = required
  if (parameters?.plugin !== basePlugin.name) return []
  return [{ parameter: parsePackageParameter(parameters.value), required }]
}

/** The registries of Terraform and OpenTofu, which have the same providers. */
const publicRegistries = ['registry.terraform.io/', 'registry.opentofu.org/']

/**
 * Reports whether a package serves a provider. The name of a local file must be
 * `terraform-provider-<type>`, optionally with a suffix such as `_v3.6.3`.
 */
function servesSource(parameter: PackageParameter, source: string): boolean {
  if (parameter.kind === 'remote')
    return normalizeSource(parameter.source) === normalizeSource(source)
  const type = source.slice(source.lastIndexOf('/') + 1)
  return new RegExp(`(?:^|/)terraform-provider-${type}(?:[_.][^/]*)?$`).test(parameter.path)
}

function normalizeSource(source: string): string {
  const registry = publicRegistries.find(host => source.startsWith(host)) ?? ''
  return source.slice(registry.length)
}

function isSamePackage(a: PackageParameter, b: PackageParameter): boolean {
  if (a.kind === 'local') return b.kind === 'local' && a.path === b.path
  return b.kind === 'remote' && servesSource(a, b.source) && a.version === b.version
}

/** Returns the request by which deployments obtain a package. */
export function createPackageRequest(
  required: RequiredPackage | undefined,
  { pkg, parameter }: Pick<RunningPackage, 'pkg' | 'parameter'>,
): PackageRequest {
  const checksums = new Map<string, string>()
  if (required !== undefined) {
    const { isExtension: _isExtension, ...fields } = required
    return { ...fields, checksums }
  }
  return {
    pkg: pkg.name,
    version: basePlugin.version,
    downloadUrl: '',
    checksums,
    parameters: {
      plugin: basePlugin.name,
      version: pkg.version,
      value: formatPackageParameter(parameter),
    },
  }
}
