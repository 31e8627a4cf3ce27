import { compareUtf8 } from '../../../values/go-json.ts'
import { lowerFirst, toCamelCase, capitalize } from './camel-case.ts'
import { stripResourcePrefix } from './resource-names.ts'

/** The names of a provider, from which the tokens of its package follow. */
export interface ProviderNames {
  readonly packageName: string
  readonly providerName: string
  readonly resources: Iterable<string>
  readonly dataSources: Iterable<string>
  readonly functions: Iterable<string>
  readonly listResources: Iterable<string>
  readonly actions: Iterable<string>
  /** Reports whether the package includes the type or function with this name in Terraform. */
  readonly isIncluded: (tfName: string) => boolean
}

/** The tokens of a package. */
export interface PackageTokens {
  /** The prefix that resource names have in common, without underscore. */
  readonly prefix: string
  readonly resources: TokenMap
  readonly dataSources: TokenMap
  readonly functions: TokenMap
  readonly listResources: TokenMap
  readonly actions: TokenMap
}

/** Tokens and the names in Terraform, in both directions. */
export interface TokenMap {
  /** The token by the name in Terraform. */
  readonly toToken: ReadonlyMap<string, string>
  /** The name in Terraform by the token. */
  readonly toTerraform: ReadonlyMap<string, string>
}

/**
 * Assigns the tokens of a package: `random:index/pet:Pet` for `random_pet`. If names are
 * equal except for their case, the second one gets the suffix `V2`, the next one `V3`. Data
 * sources (`getPet`), functions, lists (`listPet`) and actions (`runPet`) share one set of names.
 */
export function assignTokens(provider: ProviderNames): PackageTokens {
  const { packageName, isIncluded } = provider
  const resources = [...provider.resources]
  const prefix = findPrefix(resources) ?? provider.providerName
  const nameOf = (tfName: string): string => toTypeName(stripResourcePrefix(tfName, prefix))
  const invokeNames = new Set<string>()
  const sortIncluded = (tfNames: Iterable<string>): readonly string[] =>
    sortNames([...tfNames].filter(isIncluded))
  const assignInvokes = (verb: string, tfNames: Iterable<string>): TokenMap =>
    assignNames(
      packageName,
      invokeNames,
      sortIncluded(tfNames).map(tfName => [tfName, `${verb}${nameOf(tfName)}`]),
    )
  return {
    prefix,
    resources: assignNames(
      packageName,
      new Set(),
      nameResources(sortIncluded(resources), provider, prefix),
    ),
    dataSources: assignInvokes('get', provider.dataSources),
    functions: assignNames(
      packageName,
      invokeNames,
      sortIncluded(provider.functions).map(tfName => [tfName, toCamelCase(replaceDashes(tfName))]),
    ),
    listResources: assignInvokes('list', provider.listResources),
    actions: assignInvokes('run', provider.actions),
  }
}

/**
 * Returns the name in Terraform for a token. Programs in YAML leave out the module, or write
 * `index`. Returns undefined for an unknown token.
 */
export function findTerraformName(tokens: TokenMap, token: string): string | undefined {
  const exact = tokens.toTerraform.get(token)
  if (exact !== undefined) return exact
  const [packageName = '', ...parts] = token.split(':')
  const [first = '', second] = parts
  if (parts.length > 2 || (second !== undefined && first !== 'index')) return undefined
  return tokens.toTerraform.get(formatToken(packageName, second ?? first))
}

function sortNames(names: Iterable<string>): readonly string[] {
  return [...names].toSorted(compareUtf8)
}

/** Returns the first segment of the resource names, if all names with several segments agree. */
function findPrefix(resources: readonly string[]): string | undefined {
  const prefixes = new Set(
    resources.flatMap(tfName => {
      const [prefix, ...segments] = tfName.split('_')
      return prefix === undefined || prefix === '' || segments.length === 0 ? [] : [prefix]
    }),
  )
  const [prefix] = prefixes
  return prefixes.size === 1 ? prefix : undefined
}

function nameResources(
  resources: readonly string[],
  { packageName }: ProviderNames,
  prefix: string,
): readonly (readonly [string, string])[] {
  const names = new Set(resources)
  // Each package has a resource `Provider` already: the provider itself. So a resource type
  // of Terraform such as `random_provider` needs another name.
  const freeName = [`${packageName}_provider`, 'provider_resource'].find(
    candidate => !names.has(`${prefix}_${candidate}`),
  )
  return resources.map(tfName => {
    const isReserved = tfName === `${prefix}_provider` && freeName !== undefined
    return [tfName, toTypeName(isReserved ? freeName : stripResourcePrefix(tfName, prefix))]
  })
}

/** Gives each name a token. Adds the names in lower case to `usedNames`. */
function assignNames(
  packageName: string,
  usedNames: Set<string>,
  names: readonly (readonly [string, string])[],
): TokenMap {
  const toToken = new Map<string, string>()
  for (const [tfName, name] of names) {
    let uniqueName = spellFirstDigit(name)
    for (let number = 2; usedNames.has(uniqueName.toLowerCase()); number += 1)
      uniqueName = spellFirstDigit(`${name}V${number}`)
    usedNames.add(uniqueName.toLowerCase())
    toToken.set(tfName, formatToken(packageName, uniqueName))
  }
  return { toToken, toTerraform: new Map([...toToken].map(([tfName, token]) => [token, tfName])) }
}

function formatToken(packageName: string, name: string): string {
  return `${packageName}:index/${lowerFirst(name)}:${name}`
}

function toTypeName(tfName: string): string {
  return capitalize(toCamelCase(replaceDashes(tfName)))
}

/** Replaces the dashes in a name by underscores, because both separate words. */
function replaceDashes(tfName: string): string {
  return tfName.replaceAll('-', '_')
}

const digitNames = ['Zero', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine']

/** Spells out a first digit, with which an identifier must not begin: `3scale` as `ThreeScale`. */
function spellFirstDigit(name: string): string {
  const digit = /^\d/.exec(name)?.[0]
  return digit === undefined
    ? name
    : `${digitNames[Number(digit)] ?? ''}${capitalize(name.slice(1))}`
}
