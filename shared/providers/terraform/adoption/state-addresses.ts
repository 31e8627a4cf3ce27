/** The key of an instance: an index of `count`, or a key of `for_each`. */
export type InstanceKey = string | number

/** One module on the path from the root module, with the key of its instance. */
export interface ModuleStep {
  readonly name: string
  readonly key: InstanceKey | undefined
}

/** The address of the provider configuration that manages a resource. */
export interface ProviderConfigAddress {
  /** The full address of the provider, such as `registry.opentofu.org/hashicorp/random`. */
  readonly source: string
  /** '' for a configuration without an alias. */
  readonly alias: string
  /** The module that contains the configuration. Empty for the root module. */
  readonly modulePath: readonly ModuleStep[]
}

const stepPattern = /module\.(?<name>[^.[\]]+)(?:\[(?<key>\d+|"(?:[^"\\]|\\.)*")\])?(?:\.|$)/y

/**
 * Parses the address of a module instance, such as `module.net["a"].module.sub[0]`. Returns an
 * empty path for '', and undefined for other text.
 */
export function parseModulePath(text: string): readonly ModuleStep[] | undefined {
  const steps: ModuleStep[] = []
  const pattern = new RegExp(stepPattern)
  while (pattern.lastIndex < text.length) {
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) return undefined
    const { name = '', key } = groups
    steps.push({ name, key: key === undefined ? undefined : parseKey(key) })
  }
  return steps
}

function parseKey(text: string): InstanceKey {
  return text.startsWith('"') ? unquote(text) : Number(text)
}

/**
 * Removes the quotes of a string in HCL. Its escapes are those of JSON, and also `$${` and `%%{`.
 */
function unquote(text: string): string {
  const plain = text.replaceAll('$${', '${').replaceAll('%%{', '%{')
  try {
    return String(JSON.parse(plain))
  } catch {
    return plain.slice(1, -1)
  }
}

const providerPattern =
  /^(?<module>module\..*\.)?provider(?:\["(?<source>[^"]+)"\]|\.(?<type>[^.[\]"]+))(?:\.(?<alias>.+))?$/

/** The host and namespace of providers in states that Terraform 0.12 wrote. */
const legacyNamespace = 'registry.terraform.io/hashicorp'

/**
 * Parses the provider of a resource: `provider["host/namespace/type"]`, possibly with an alias and
 * a module. Terraform 0.12 wrote `provider.type`. Returns undefined for other text.
 */
export function parseProviderAddress(text: string): ProviderConfigAddress | undefined {
  const groups = providerPattern.exec(text)?.groups
  if (groups === undefined) return undefined
  const { module = '', type = '', source = `${legacyNamespace}/${type}`, alias = '' } = groups
  const modulePath = parseModulePath(module.replace(/\.$/, ''))
  if (modulePath === undefined || source.split('/').length !== 3) return undefined
  return { source, alias, modulePath }
}

interface ResourceAddressParts {
  readonly mode: 'managed' | 'data'
  readonly typeName: string
  readonly name: string
  readonly modulePath: readonly ModuleStep[]
}

/** Formats the address of a resource without any keys. */
export function formatConfigAddress(parts: ResourceAddressParts): string {
  const modules = parts.modulePath.map(({ name }) => `module.${name}.`)
  return `${modules.join('')}${formatLocalAddress(parts)}`
}

/** Formats the address of an instance of a resource. */
export function formatInstanceAddress(
  parts: ResourceAddressParts,
  key: InstanceKey | undefined,
): string {
  const modules = parts.modulePath.map(
    ({ name, key: moduleKey }) => `module.${name}${formatKey(moduleKey)}.`,
  )
  return `${modules.join('')}${formatLocalAddress(parts)}${formatKey(key)}`
}

function formatLocalAddress({ mode, typeName, name }: ResourceAddressParts): string {
  return `${mode === 'data' ? 'data.' : ''}${typeName}.${name}`
}

function formatKey(key: InstanceKey | undefined): string {
  if (key === undefined) return ''
  return `[${typeof key === 'number' ? key : JSON.stringify(key)}]`
}
