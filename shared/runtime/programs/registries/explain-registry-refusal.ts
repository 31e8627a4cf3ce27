import type { PackageRegistry } from './package-registry.ts'

/** The message and the next step for a package that a registry refused. */
export interface RegistryRefusal {
  readonly message: string
  readonly hint: string
}

/**
 * The lines about a response of a registry: a status before the URL (npm, pip, uv), or after it
 * (pnpm, Yarn).
 */
const refusalPatterns: readonly RegExp[] = [
  /\b(?<status>40[134])\b.*?(?<url>https?:\/\/[^\s"'`)]+)/,
  /(?<url>https?:\/\/[^\s"'`)]+?): .*\b(?<status>40[134])\b/,
]

/**
 * Returns the refusal of a registry in the output of a failed package manager. An error of npm does
 * not name the registry that requires a credential, and an error of pip does not name the reason.
 * Returns undefined if the output has no refusal. `registries`: the stored registries of the
 * manager.
 */
export function explainRegistryRefusal(
  output: string,
  manager: PackageRegistry['manager'],
  registries: readonly PackageRegistry[],
): RegistryRefusal | undefined {
  const refusal = findRefusal(output)
  if (refusal === undefined) return undefined
  const { status, url } = refusal
  const registry = findRegistryOf(url, registries)
  const name =
    registry === undefined ? new URL(url).origin : `${registry.name} (${registry.address})`
  const message = `the package registry ${name} answered with status ${status} for ${url}`
  const command = `antichain registry set ${createSetArgs(url, manager, registry)}`
  if (status === '404')
    return {
      message,
      hint: `Correct the name and version of the package. If a private registry has it, an administrator sets ANTICHAIN_CREDENTIAL and runs \`${command}\`.`,
    }
  const token = registry?.credential === undefined ? 'its token' : 'a valid token'
  return {
    message,
    hint: `Let an administrator set ANTICHAIN_CREDENTIAL to ${token}, and run \`${command}\`.`,
  }
}

/**
 * Returns the last refusal of a credential (401, 403), or else the last missing package (404). Both
 * can occur, because pip tries all of its indexes.
 */
function findRefusal(
  output: string,
): { readonly status: string; readonly url: string } | undefined {
  const refusals = output.split('\n').flatMap(line => {
    const { groups } = refusalPatterns.map(pattern => pattern.exec(line)).find(Boolean) ?? {}
    const { status = '', url = '' } = groups ?? {}
    const shownUrl = toShownUrl(url)
    return shownUrl === undefined ? [] : [{ status, url: shownUrl }]
  })
  return refusals.findLast(({ status }) => status !== '404') ?? refusals.at(-1)
}

/** Returns a URL without its parts that can contain a credential. Undefined if it is no URL. */
function toShownUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url === null ? undefined : `${url.origin}${url.pathname}`
}

/**
 * Returns the stored registry whose address is the longest prefix of a URL, or else one with the
 * origin of the URL.
 */
function findRegistryOf(
  url: string,
  registries: readonly PackageRegistry[],
): PackageRegistry | undefined {
  const { origin } = new URL(url)
  const isPrefix = ({ address }: PackageRegistry): boolean =>
    url.startsWith(address.endsWith('/') ? address : `${address}/`)
  return (
    registries.toSorted((one, other) => other.address.length - one.address.length).find(isPrefix) ??
    registries.find(({ address }) => new URL(address).origin === origin)
  )
}

/** Returns the arguments that store the registry of a URL. A stored registry keeps its settings. */
function createSetArgs(
  url: string,
  manager: PackageRegistry['manager'],
  registry: PackageRegistry | undefined,
): string {
  const scope = registry === undefined && manager === 'npm' ? findScope(url) : registry?.scope
  return [
    ...(registry === undefined
      ? ['<name>', guessAddress(url, manager)]
      : [registry.name, registry.address]),
    ...(manager === 'pip' ? ['--manager pip'] : []),
    ...(scope === undefined ? [] : [`--scope ${scope}`]),
    ...(registry?.runsScripts === true ? ['--run-scripts'] : []),
  ].join(' ')
}

/** The path of a package in a registry of npm: its scope, its name, and its archive. */
const npmPackagePattern = /\/(?<scope>@[\w.-]+)?(?:(?<=\/)|\/|%2f)[\w.-]+(?:\/-\/[^/]+)?$/i

const findScope = (url: string): string | undefined =>
  npmPackagePattern.exec(url)?.groups?.['scope']

/**
 * Returns the address of a registry by the URL of one of its packages. An address that is unknown,
 * or not safe in a shell, becomes a placeholder: a program may have chosen the URL.
 */
function guessAddress(url: string, manager: PackageRegistry['manager']): string {
  // pip downloads archives from other addresses than that of the index.
  const address =
    manager === 'pip' ? /^(.+)\/[^/]+\/$/.exec(url)?.[1] : url.replace(npmPackagePattern, '/')
  return address !== undefined && /^[\w./:@%+~-]+$/.test(address) ? address : '<address>'
}
