import { createSeededRandom, type SeededRandom } from './seeded-random.ts'

/**
 * The rule by which resources without an explicit name are named. `default`: the provider decides.
 * `verbatim`: the provider must use the name in the program. `disabled`: the provider must not
 * generate a name. In `pattern`, `${organization}`, `${project}`, `${stack}` and `${config.…}` are
 * already filled in. `enforce`: the provider must use the resulting name.
 */
export type NamingRule =
  | { readonly kind: 'default' }
  | { readonly kind: 'verbatim' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'pattern'; readonly pattern: string; readonly enforce: boolean }

/**
 * Naming rules. The rule of a resource type takes precedence over the rule of its package, which
 * takes precedence over the general rule.
 */
export interface Autonaming {
  readonly general: NamingRule
  readonly packages: ReadonlyMap<
    string,
    { readonly general: NamingRule; readonly types: ReadonlyMap<string, NamingRule> }
  >
}

/** The name proposal that a provider gets for a resource. */
export interface NameProposal {
  readonly name: string
  readonly mode: 'propose' | 'enforce' | 'disable'
  /** Whether to warn the user when the provider does not support proposals. */
  readonly warnIfUnsupported: boolean
}

const randomTokenPattern = /\$\{(?:hex|alphanum|string|num)\((\d+)\)\}|\$\{uuid\}/

/**
 * Returns the name proposal for a resource, or undefined when the provider names it by its default.
 * Source: docs/spec/step-generation.md#autonaming.
 */
export function proposeName(
  autonaming: Autonaming,
  resource: { readonly type: string; readonly name: string; readonly seed: Uint8Array },
): NameProposal | undefined {
  const { naming, isSpecific } = namingOf(autonaming, resource.type)
  switch (naming.kind) {
    case 'default':
      return undefined
    case 'verbatim':
      return { name: resource.name, mode: 'enforce', warnIfUnsupported: isSpecific }
    case 'disabled':
      return { name: '', mode: 'disable', warnIfUnsupported: isSpecific }
    case 'pattern':
      return {
        name: fillPattern(
          fillName(naming.pattern, resource.name),
          createSeededRandom(resource.seed),
        ),
        mode: naming.enforce ? 'enforce' : 'propose',
        warnIfUnsupported: isSpecific || naming.enforce,
      }
    default:
      return naming satisfies never
  }
}

/**
 * Reports whether the name of a resource has no random part. A replacement of such a resource gets
 * the same name, so the old resource must be deleted before its replacement is created.
 */
export function isNameFixed(
  autonaming: Autonaming,
  { type, name }: { readonly type: string; readonly name: string },
): boolean {
  const { naming } = namingOf(autonaming, type)
  if (naming.kind === 'default') return false
  return naming.kind !== 'pattern' || !randomTokenPattern.test(fillName(naming.pattern, name))
}

/** Returns a pattern with the name of a resource. A `$` of the name has no special meaning. */
function fillName(pattern: string, name: string): string {
  return pattern.replaceAll('${name}', () => name)
}

/** Returns the most specific rule for a type. `isSpecific`: the package of the type has rules. */
function namingOf(
  { general, packages }: Autonaming,
  type: string,
): { readonly naming: NamingRule; readonly isSpecific: boolean } {
  const [pkg = ''] = type.split(':', 1)
  const packageNaming = packages.get(pkg)
  if (packageNaming === undefined) return { naming: general, isSpecific: false }
  return { naming: packageNaming.types.get(type) ?? packageNaming.general, isSpecific: true }
}

const lowercaseLetters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

/**
 * Fills in the random parts, one kind of placeholder after another. All kinds draw from the same
 * number sequence. So only Pulumi's order of kinds results in Pulumi's names.
 */
function fillPattern(pattern: string, random: SeededRandom): string {
  const drawLetters = (letters: string, count: string): string =>
    Array.from({ length: Number(count) }, () => letters[random.nextBelow(letters.length)]).join('')
  return pattern
    .replace(/\$\{hex\((\d+)\)\}/g, (_token, count: string) =>
      hexOf(random.nextBytes(Math.floor(Number(count) / 2) + 1)).slice(0, Number(count)),
    )
    .replace(/\$\{alphanum\((\d+)\)\}/g, (_token, count: string) =>
      drawLetters(lowercaseLetters + digits, count),
    )
    .replace(/\$\{string\((\d+)\)\}/g, (_token, count: string) =>
      drawLetters(lowercaseLetters, count),
    )
    .replace(/\$\{num\((\d+)\)\}/g, (_token, count: string) => drawLetters(digits, count))
    .replace(/^[^]*\$\{uuid\}[^]*$/, patternText => {
      const id = hexOf(random.nextBytes(16)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      return patternText.replaceAll('${uuid}', id)
    })
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
