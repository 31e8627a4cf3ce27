import { seededRandom, type SeededRandom } from './seeded-random.ts'

/** How resources without a name of their own are called. `pattern` with `${organization}`,
 * `${project}`, `${stack}` and `${config.…}` filled in. */
export type Naming =
  | { readonly kind: 'default' }
  | { readonly kind: 'verbatim' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'pattern'; readonly pattern: string; readonly enforce: boolean }

/** Namings: of a resource type, else of its package, else of all. */
export interface Autonaming {
  readonly all: Naming
  readonly packages: ReadonlyMap<
    string,
    { readonly all: Naming; readonly types: ReadonlyMap<string, Naming> }
  >
}

/** What a provider is told of the name of a resource. */
export interface NameProposal {
  readonly name: string
  readonly mode: 'propose' | 'enforce' | 'disable'
  /** Whether somebody must hear of it when the provider cannot be told. */
  readonly mustBeHeard: boolean
}

const randomTokens = /\$\{(?:hex|alphanum|string|num)\((\d+)\)\}|\$\{uuid\}/

/**
 * What a provider is told of the name of a resource; undefined: nothing, it names as it always did.
 * Source: docs/spec/step-generation.md#autonaming.
 */
export function nameProposal(
  autonaming: Autonaming,
  about: { readonly type: string; readonly name: string; readonly seed: Uint8Array },
): NameProposal | undefined {
  const { naming, isOwn } = namingOf(autonaming, about.type)
  switch (naming.kind) {
    case 'default':
      return undefined
    case 'verbatim':
      return { name: about.name, mode: 'enforce', mustBeHeard: isOwn }
    case 'disabled':
      return { name: '', mode: 'disable', mustBeHeard: isOwn }
    case 'pattern':
      return {
        name: filled(naming.pattern.replaceAll('${name}', about.name), seededRandom(about.seed)),
        mode: naming.enforce ? 'enforce' : 'propose',
        mustBeHeard: isOwn || naming.enforce,
      }
    default:
      return naming satisfies never
  }
}

/** Whether two resources could not have the name at once: the old one must go before the new. */
export function isNameFixed(
  autonaming: Autonaming,
  { type, name }: { readonly type: string; readonly name: string },
): boolean {
  const { naming } = namingOf(autonaming, type)
  if (naming.kind === 'default') return false
  return naming.kind !== 'pattern' || !randomTokens.test(naming.pattern.replaceAll('${name}', name))
}

/** The most specific naming; `isOwn`: the package or the type has one. */
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

/** Fills the random parts in; kind by kind, since each takes from the same numbers. */
function filled(pattern: string, random: SeededRandom): string {
  const drawn = (letters: string, count: string): string =>
    Array.from({ length: Number(count) }, () => letters[random.below(letters.length)]).join('')
  return pattern
    .replace(/\$\{hex\((\d+)\)\}/g, (_token, count: string) =>
      hexOf(random.bytes(Math.floor(Number(count) / 2) + 1)).slice(0, Number(count)),
    )
    .replace(/\$\{alphanum\((\d+)\)\}/g, (_token, count: string) => drawn(small + digits, count))
    .replace(/\$\{string\((\d+)\)\}/g, (_token, count: string) => drawn(small, count))
    .replace(/\$\{num\((\d+)\)\}/g, (_token, count: string) => drawn(digits, count))
    .replace(/^[^]*\$\{uuid\}[^]*$/, text => {
      const id = hexOf(random.bytes(16)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      return text.replaceAll('${uuid}', id)
    })
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
