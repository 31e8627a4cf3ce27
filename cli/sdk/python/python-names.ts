import { toTitle } from '../package-members.ts'

/** Words that Python or its version 2 reserves. Pulumi adds an underscore to such names. */
const reservedWords: ReadonlySet<string> = new Set(
  [
    'False None True and as assert async await break class continue def del elif else except exec',
    'finally for from global if import in is lambda nonlocal not or pass print raise return try',
    'while with yield',
  ].flatMap(line => line.split(' ')),
)

/** Names that Pulumi's SDKs divide into words in another way. */
const legacyNames: ReadonlyMap<string, string> = new Map([
  ['openXJsonSerDe', 'open_x_json_ser_de'],
  ['GetPublicIPs', 'get_public_i_ps'],
  ['GetUptimeCheckIPs', 'get_uptime_check_i_ps'],
])

/**
 * Returns a name in snake case, as in Pulumi's SDKs: `vpc_ids` for `vpcIDs`, and `sha256_hash` for
 * `SHA256Hash`. Digits and a plural `s` belong to the acronym before them. Names that Python
 * reserves end with an underscore.
 */
export function toPythonName(name: string): string {
  const legacyName = legacyNames.get(name)
  if (legacyName !== undefined) return legacyName
  const separated = toIdentifier(name)
    // The last capital of an acronym begins the next word, unless a digit or an `s` follows.
    .replace(/(\p{Lu})(\p{Lu})(?=[^\p{Lu}\p{Nd}s])/gu, '$1\u0000$2')
    .replace(/([^\p{Lu}\u0000])(?=\p{Lu})/gu, '$1\u0000')
  return avoidReservedWord(separated.replaceAll('\u0000', '_').toLowerCase())
}

/** Adds an underscore to a name that Python reserves. */
function avoidReservedWord(name: string): string {
  return reservedWords.has(name) ? `${name}_` : name
}

/** Puts `_` in place of each character that identifiers cannot have, and before a first digit. */
function toIdentifier(name: string): string {
  return name.replace(/[^\p{L}\p{N}\p{M}\p{Pc}]/gu, '_').replace(/^(?=\p{Nd})/u, '_')
}

/** Returns the parameter for an input of a resource. `resource_name` and `opts` are taken. */
export function toParameterName(name: string): string {
  const argumentName = toArgumentName(name)
  return argumentName === 'resource_name' ? `${argumentName}_` : argumentName
}

/** Returns the parameter for an input of a function. `opts` is taken. */
export function toArgumentName(name: string): string {
  const pythonName = toPythonName(name)
  return pythonName === 'opts' ? `${pythonName}_` : pythonName
}

/** Returns the name of a class: it begins with a capital, and has no hyphens. */
export function toClassName(name: string): string {
  return avoidReservedWord(
    toTitle(name.split('-').filter(Boolean).map(capitalizeUnlessFirst).join('')),
  )
}

function capitalizeUnlessFirst(part: string, index: number): string {
  return index === 0 ? part : toTitle(part)
}

/** Returns the path of a module: `storage/v1_beta` for `Storage/v1-beta`. */
export function toPythonModule(module: string): string {
  return module === '' ? '' : module.toLowerCase().split('/').map(toPythonName).join('/')
}

/** Value of an enumeration with at most one character → name of the value. */
const characterNames: ReadonlyMap<string, string> = new Map([
  ['', 'Empty'] as const,
  ...[['*', 'Asterisk'] as const, ['0', 'Zero'] as const, ['1', 'One'] as const],
  ...[['2', 'Two'] as const, ['3', 'Three'] as const, ['4', 'Four'] as const],
  ...[['5', 'Five'] as const, ['6', 'Six'] as const, ['7', 'Seven'] as const],
  ...[['8', 'Eight'] as const, ['9', 'Nine'] as const],
])

/** Returns the name of a value of an enumeration, such as `T2_MICRO` for `t2.micro`. */
export function toEnumMember(name: string, enumName: string): string {
  const pythonName = toPythonName(characterNames.get(name) ?? name).toUpperCase()
  const prefix = pythonName.startsWith('_') ? toPythonName(enumName).toUpperCase() : ''
  return `${prefix}${pythonName}`.replaceAll(/_+/g, '_')
}

/**
 * Returns a semantic version in the form of PEP 440: `1.2.0b3` for `1.2.0-beta.3`. Another
 * prerelease, or a build, becomes a local version label of PEP 440, such as `1.2.0+nightly.4`.
 */
export function toPythonVersion(version: string): string {
  const [, release = '0.0.0', prerelease = '', build = ''] =
    /^v?(\d+\.\d+\.\d+)(?:-([^+]*))?(?:\+(.*))?$/.exec(version) ?? []
  const joinedPrerelease = prerelease.replace(/^(alpha|beta|rc|dev|post)\.(\d+)/, '$1$2')
  const [first = '', ...others] = joinedPrerelease.split('.').filter(Boolean)
  const tag = toReleaseTag(first)
  const local = [...(tag === '' ? [first] : []), ...others, ...build.split('.')]
    .filter(Boolean)
    .map(part => part.replaceAll('-', '.'))
  return `${release}${tag}${local.length === 0 ? '' : `+${local.join('.')}`}`
}

function toReleaseTag(prerelease: string): string {
  const [, word = '', number = ''] = /^(alpha|beta|a|b|rc|dev|post)(\d+)$/.exec(prerelease) ?? []
  if (word === '') return ''
  return ['dev', 'post'].includes(word)
    ? `.${word}${number}`
    : `${word === 'rc' ? word : word.slice(0, 1)}${number}`
}

/** Returns a value as a literal of Python. */
export function formatLiteral(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
