import { limits } from '../../config/limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { Autonaming, NamingRule } from '../../names/propose-name.ts'
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
 * Returns the naming rules of a stack, or undefined if its configuration has no value for
 * `pulumi:autonaming`. Throws CONFIG_INVALID. Source: docs/spec/step-generation.md#autonaming.
 */
export function autonamingOf(sources: PatternSources): Autonaming | undefined {
  const value = sources.config.get(autonamingKey)
  if (value === undefined) return undefined
  const root = sectionOf(parseValue(value), '', ['providers'])
  const general = namingOf(root, '', sources) ?? { kind: 'default' }
  const packages = new Map(
    entriesOf(root, 'providers', '').map(([pkg, packageEntry]) => {
      const keyPath = `providers.${pkg}`
      const section = sectionOf(packageEntry, keyPath, ['resources'])
      const types = new Map(
        entriesOf(section, 'resources', keyPath).map(([type, entry]) => {
          const typePath = `${keyPath}.resources.${type}`
          const naming = namingOf(sectionOf(entry, typePath, []), typePath, sources)
          if (naming === undefined)
            throw createInvalidAutonamingError(typePath, 'needs a mode or a pattern')
          return [type, naming] as const
        }),
      )
      return [pkg, { general: namingOf(section, keyPath, sources) ?? general, types }] as const
    }),
  )
  return { general, packages }
}

type Section = Readonly<Record<string, unknown>>

function parseValue({ text, isObject }: ConfigValue): unknown {
  if (!isObject)
    throw createInvalidAutonamingError('', 'is not a map with mode, pattern, enforce and providers')
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw createInvalidAutonamingError('', messageOf(thrown))
  }
}

function sectionOf(value: unknown, keyPath: string, additionalKeys: readonly string[]): Section {
  if (!isSection(value)) throw createInvalidAutonamingError(keyPath, 'is not a map')
  const knownKeys = ['mode', 'pattern', 'enforce', ...additionalKeys]
  const unknownKey = Object.keys(value).find(key => !knownKeys.includes(key))
  if (unknownKey === undefined) return value
  throw createInvalidAutonamingError(
    keyPath,
    `has the unknown key '${unknownKey}'; known keys are ${knownKeys.join(', ')}`,
  )
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entriesOf(section: Section, key: string, keyPath: string): [string, unknown][] {
  const entries = section[key] ?? {}
  if (!isSection(entries))
    throw createInvalidAutonamingError(joinKeyPath(keyPath, key), 'is not a map')
  return Object.entries(entries)
}

function namingOf(
  section: Section,
  keyPath: string,
  sources: PatternSources,
): NamingRule | undefined {
  const mode = readTyped(section, 'mode', 'string', keyPath)
  const pattern = readTyped(section, 'pattern', 'string', keyPath)
  const enforce = readTyped(section, 'enforce', 'boolean', keyPath)
  if (mode !== undefined && (pattern !== undefined || enforce !== undefined))
    throw createInvalidAutonamingError(keyPath, 'has a mode together with pattern or enforce')
  if (typeof pattern === 'string')
    return {
      kind: 'pattern',
      pattern: resolvePattern(pattern, keyPath, sources),
      enforce: enforce === true,
    }
  if (enforce !== undefined)
    throw createInvalidAutonamingError(keyPath, 'has enforce without a pattern')
  if (mode === undefined) return undefined
  if (mode === 'default' || mode === 'verbatim' || mode === 'disabled') return { kind: mode }
  throw createInvalidAutonamingError(
    keyPath,
    `has the unknown mode '${mode}'; use default, verbatim or disabled`,
  )
}

function readTyped(
  section: Section,
  key: string,
  type: 'string' | 'boolean',
  keyPath: string,
): string | boolean | undefined {
  const value = section[key] ?? undefined
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean') {
    if (value === undefined || typeof value === type) return value
  }
  throw createInvalidAutonamingError(joinKeyPath(keyPath, key), `is not a ${type}`)
}

/** Replaces the placeholders for values of the stack in a pattern. Throws CONFIG_INVALID. */
function resolvePattern(pattern: string, keyPath: string, sources: PatternSources): string {
  const { organization, project, stack, config } = sources
  for (const [, length = ''] of pattern.matchAll(/\$\{\w+\((\d+)\)\}/g))
    if (Number(length) > limits.namePlaceholderCharsMax)
      throw createInvalidAutonamingError(
        keyPath,
        `asks for ${length} random characters; the limit is ${limits.namePlaceholderCharsMax}`,
      )
  return pattern
    .replaceAll('${organization}', () => organization)
    .replaceAll('${project}', () => project)
    .replaceAll('${stack}', () => stack)
    .replace(/\$\{config\.([^}]+)\}/g, (_token, key: string) => {
      const value = config.get(`${project}:${key}`)
      if (value === undefined)
        throw createInvalidAutonamingError(
          keyPath,
          `uses the configuration key '${key}', which has no value`,
        )
      return value.text
    })
}

function joinKeyPath(keyPath: string, key: string): string {
  return keyPath === '' ? key : `${keyPath}.${key}`
}

function createInvalidAutonamingError(keyPath: string, problem: string): Error {
  const location = keyPath === '' ? autonamingKey : `${autonamingKey}, ${keyPath}`
  return createError(
    'CONFIG_INVALID',
    `the configuration of automatic names (${location}) ${problem}`,
  )
}
