import { createSeededRandom, type SeededRandom } from './seeded-random.ts'

/**
 * How resources without an explicit name are named. In `pattern`, `${organization}`, `${project}`,
 * `${stack}` and `${config.…}` are already filled in.
 */
export type Naming =
  | { readonly kind: 'default' }
  | { readonly kind: 'verbatim' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'pattern'; readonly pattern: string; readonly enforce: boolean }

/**
 * Naming rules. A rule of the resource type takes precedence over one of its package, and that over
 * the general one.
 */
export interface Autonaming {
  readonly all: Naming
  readonly packages: ReadonlyMap<
    string,
    { readonly all: Naming; readonly types: ReadonlyMap<string, Naming> }
  >
}

/** The name proposal that a provider gets for a resource. */
export interface NameProposal {
  readonly name: string
  readonly mode: 'propose' | 'enforce' | 'disable'
  /** Whether to warn the user when the provider does not support proposals. */
  readonly warnIfUnsupported: boolean
}

const randomTokens = /\$\{(?:hex|alphanum|string|num)\((\d+)\)\}|\$\{uuid\}/

/**
 * Returns the name proposal for a resource, or undefined when the provider names it by its default.
 * Source: docs/spec/step-generation.md#autonaming.
 */
export function proposeName(
  autonaming: Autonaming,
  resource: { readonly type: string; readonly name: string; readonly seed: Uint8Array },
): NameProposal | undefined {
  const { naming, isOwn } = namingOf(autonaming, resource.type)
  switch (naming.kind) {
    case 'default':
      return undefined
    case 'verbatim':
      return { name: resource.name, mode: 'enforce', warnIfUnsupported: isOwn }
    case 'disabled':
      return { name: '', mode: 'disable', warnIfUnsupported: isOwn }
    case 'pattern':
      return {
        name: fillPattern(
          naming.pattern.replaceAll('${name}', resource.name),
          createSeededRandom(resource.seed),
        ),
        mode: naming.enforce ? 'enforce' : 'propose',
        warnIfUnsupported: isOwn || naming.enforce,
      }
    default:
      return naming satisfies never
  }
}

/**
 * Reports whether two resources cannot have the name at the same time. The old one must then be
 * deleted before the new one is created.
 */
export function isNameFixed(
  autonaming: Autonaming,
  { type, name }: { readonly type: string; readonly name: string },
): boolean {
  const { naming } = namingOf(autonaming, type)
  if (naming.kind === 'default') return false
  return naming.kind !== 'pattern' || !randomTokens.test(naming.pattern.replaceAll('${name}', name))
}

/** Returns the most specific naming. `isOwn`: the package or type has its own rule. */
function namingOf(
  { all, packages }: Autonaming,
  type: string,
): { readonly naming: Naming; readonly isOwn: boolean } {
  const [pkg = ''] = type.split(':', 1)
  const found = packages.get(pkg)
  if (found === undefined) return { naming: all, isOwn: false }
  return { naming: found.types.get(type) ?? found.all, isOwn: true }
}

const small = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

/**
 * Fills in the random parts, kind by kind, because all kinds draw from the same number sequence.
 */
function fillPattern(pattern: string, random: SeededRandom): string {
  const drawLetters = (letters: string, count: string): string =>
    Array.from({ length: Number(count) }, () => letters[random.nextBelow(letters.length)]).join('')
  return pattern
    .replace(/\$\{hex\((\d+)\)\}/g, (_token, count: string) =>
      hexOf(random.nextBytes(Math.floor(Number(count) / 2) + 1)).slice(0, Number(count)),
    )
    .replace(/\$\{alphanum\((\d+)\)\}/g, (_token, count: string) =>
      drawLetters(small + digits, count),
    )
    .replace(/\$\{string\((\d+)\)\}/g, (_token, count: string) => drawLetters(small, count))
    .replace(/\$\{num\((\d+)\)\}/g, (_token, count: string) => drawLetters(digits, count))
    .replace(/^[^]*\$\{uuid\}[^]*$/, text => {
      const id = hexOf(random.nextBytes(16)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      return text.replaceAll('${uuid}', id)
    })
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
