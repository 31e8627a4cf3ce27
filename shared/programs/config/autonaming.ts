import { limits } from '../../config/limits.ts'
import { error, messageOf } from '../../errors/error.ts'
import type { Autonaming, Naming } from '../../names/automatic-name.ts'
import type { ConfigValue } from './open-config.ts'

/** The configuration key of automatic names, in the project or the stack. */
export const autonamingKey = 'pulumi:autonaming'

/** Values of the stack that patterns may use. */
export interface PatternSources {
  readonly organization: string
  readonly project: string
  readonly stack: string
  /** `ns:key` → value, decrypted. */
  readonly config: ReadonlyMap<string, ConfigValue>
}

/**
 * Returns the naming rules of a stack, or undefined without a configuration. Throws CONFIG_INVALID.
 * Source: docs/spec/step-generation.md#autonaming.
 */
export function autonamingOf(sources: PatternSources): Autonaming | undefined {
  const value = sources.config.get(autonamingKey)
  if (value === undefined) return undefined
  const root = sectionOf(parseValue(value), '', ['providers'])
  const all = namingOf(root, '', sources) ?? { kind: 'default' }
  const packages = new Map(
    entriesOf(root, 'providers', '').map(([pkg, packageEntry]) => {
      const place = `providers.${pkg}`
      const section = sectionOf(packageEntry, place, ['resources'])
      const types = new Map(
        entriesOf(section, 'resources', place).map(([type, entry]) => {
          const at = `${place}.resources.${type}`
          const naming = namingOf(sectionOf(entry, at, []), at, sources)
          if (naming === undefined) throw invalidError(at, 'needs a mode or a pattern')
          return [type, naming] as const
        }),
      )
      return [pkg, { all: namingOf(section, place, sources) ?? all, types }] as const
    }),
  )
  return { all, packages }
}

type Section = Readonly<Record<string, unknown>>

function parseValue({ text, object }: ConfigValue): unknown {
  if (!object) throw invalidError('', 'is not a map with mode, pattern, enforce and providers')
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw invalidError('', messageOf(thrown))
  }
}

function sectionOf(value: unknown, place: string, more: readonly string[]): Section {
  if (!isSection(value)) throw invalidError(place, 'is not a map')
  const known = ['mode', 'pattern', 'enforce', ...more]
  const stranger = Object.keys(value).find(key => !known.includes(key))
  if (stranger === undefined) return value
  throw invalidError(place, `has the unknown key '${stranger}'; known keys are ${known.join(', ')}`)
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entriesOf(section: Section, key: string, place: string): [string, unknown][] {
  const entries = section[key] ?? {}
  if (!isSection(entries)) throw invalidError(joinPlace(place, key), 'is not a map')
  return Object.entries(entries)
}

function namingOf(section: Section, place: string, sources: PatternSources): Naming | undefined {
  const mode = readTyped(section, 'mode', 'string', place)
  const pattern = readTyped(section, 'pattern', 'string', place)
  const enforce = readTyped(section, 'enforce', 'boolean', place)
  if (mode !== undefined && (pattern !== undefined || enforce !== undefined))
    throw invalidError(place, 'has both a mode and pattern or enforce')
  if (typeof pattern === 'string')
    return {
      kind: 'pattern',
      pattern: resolvePattern(pattern, place, sources),
      enforce: enforce === true,
    }
  if (enforce !== undefined) throw invalidError(place, 'has enforce without a pattern')
  if (mode === undefined) return undefined
  if (mode === 'default' || mode === 'verbatim' || mode === 'disabled') return { kind: mode }
  throw invalidError(place, `has the unknown mode '${mode}'; use default, verbatim or disabled`)
}

function readTyped(
  section: Section,
  key: string,
  type: 'string' | 'boolean',
  place: string,
): string | boolean | undefined {
  const value = section[key] ?? undefined
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean') {
    if (value === undefined || typeof value === type) return value
  }
  throw invalidError(joinPlace(place, key), `is not a ${type}`)
}

/** Fills in the values of the stack. */
function resolvePattern(pattern: string, place: string, sources: PatternSources): string {
  const { organization, project, stack, config } = sources
  for (const [, length = ''] of pattern.matchAll(/\$\{\w+\((\d+)\)\}/g))
    if (Number(length) > limits.namePartMax)
      throw invalidError(
        place,
        `asks for ${length} random characters; the limit is ${limits.namePartMax}`,
      )
  return pattern
    .replaceAll('${organization}', () => organization)
    .replaceAll('${project}', () => project)
    .replaceAll('${stack}', () => stack)
    .replace(/\$\{config\.([^}]+)\}/g, (_token, key: string) => {
      const value = config.get(`${project}:${key}`)
      if (value === undefined)
        throw invalidError(place, `uses the configuration key '${key}', which has no value`)
      return value.text
    })
}

function joinPlace(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}

function invalidError(place: string, what: string): Error {
  const where = place === '' ? autonamingKey : `${autonamingKey}, ${place}`
  return error('CONFIG_INVALID', `the configuration of automatic names (${where}) ${what}`)
}
