import type { HomeFile } from '../run-package-command.ts'
import type { PackageRegistry } from './package-registry.ts'

/** The settings with which a package manager uses the registries of an installation. */
export interface RegistrySettings {
  /**
   * Files of the temporary home, by the variables that name the files. Programs cannot change the
   * settings in the files.
   */
  readonly homeFiles: Readonly<Record<string, HomeFile>>
  readonly variables: Readonly<Record<string, string>>
  /** Texts that no message may contain. */
  readonly secrets: readonly string[]
}

/** Returns the registries that serve packages of a language. */
export function selectRegistries(
  registries: readonly PackageRegistry[],
  manager: PackageRegistry['manager'],
): readonly PackageRegistry[] {
  return registries.filter(registry => registry.manager === manager)
}

/**
 * Returns the first registry with a credential that code of packages must not read. With such a
 * registry, an installation runs no code of packages or of the program.
 */
export function findGuardedRegistry(
  registries: readonly PackageRegistry[],
): PackageRegistry | undefined {
  return registries.find(({ credential, runsScripts }) => credential !== undefined && !runsScripts)
}

/**
 * Returns the settings for npm, pnpm and yarn. A credential of the form `<user>:<password>` is sent
 * as Basic authorization, any other one as a bearer token. The credential is sent only to URLs
 * below the registry's address.
 */
export function createNpmSettings(registries: readonly PackageRegistry[]): RegistrySettings {
  const lines = registries.flatMap(({ address, scope, credential }) => {
    const base = address.endsWith('/') ? address : `${address}/`
    const registryLine = `${scope === undefined ? '' : `${scope}:`}registry=${base}`
    if (credential === undefined) return [registryLine]
    const path = base.slice(base.indexOf('//'))
    const value = credential.includes(':')
      ? `_auth="${Buffer.from(credential).toString('base64')}"`
      : `_authToken=${JSON.stringify(credential)}`
    // Only with the last of these lines does Yarn send the credential when it downloads packages.
    return [registryLine, `${path}:${value}`, `${path}:always-auth=true`]
  })
  const file = { name: '.npmrc', text: `${lines.join('\n')}\n` }
  const homeFiles = lines.length === 0 ? {} : { npm_config_userconfig: file }
  return { homeFiles, variables: {}, secrets: secretsOf(registries) }
}

/**
 * Returns the settings for pip. The first registry replaces PyPI, and further ones are added. A
 * credential without `:` is the password of the user `__token__`, as package indexes expect it.
 */
export function createPipSettings(registries: readonly PackageRegistry[]): RegistrySettings {
  const [firstRegistry, ...otherRegistries] = registries
  if (firstRegistry === undefined) return { homeFiles: {}, variables: {}, secrets: [] }
  const entries = registries.flatMap(({ address, credential }) => {
    if (credential === undefined) return []
    const separator = credential.indexOf(':')
    const user = separator < 0 ? '__token__' : credential.slice(0, separator)
    const password = credential.slice(separator + 1)
    return [
      `machine ${new URL(address).hostname} login ${JSON.stringify(user)} password ${JSON.stringify(password)}`,
    ]
  })
  return {
    homeFiles:
      entries.length === 0 ? {} : { NETRC: { name: '.netrc', text: `${entries.join('\n')}\n` } },
    variables: {
      PIP_INDEX_URL: firstRegistry.address,
      ...(otherRegistries.length === 0
        ? {}
        : { PIP_EXTRA_INDEX_URL: otherRegistries.map(({ address }) => address).join(' ') }),
    },
    secrets: secretsOf(registries),
  }
}

/** Returns all forms of the credentials, the longest first, as they may contain shorter ones. */
function secretsOf(registries: readonly PackageRegistry[]): readonly string[] {
  return registries
    .flatMap(({ credential = '' }) => [
      credential,
      ...(credential.includes(':')
        ? [
            credential.slice(credential.indexOf(':') + 1),
            Buffer.from(credential).toString('base64'),
          ]
        : []),
    ])
    .filter(secret => secret !== '')
    .toSorted((one, other) => other.length - one.length)
}
