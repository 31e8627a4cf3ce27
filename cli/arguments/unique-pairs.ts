import { createError } from '../../shared/errors/error.ts'

/**
 * Returns the pairs of a repeatable option as a record. Throws CLI_USAGE for a name that occurs
 * twice, because the record would silently keep only the last value.
 */
export function requireUniqueNames(
  option: string,
  pairs: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string>> {
  const names = new Set<string>()
  for (const [name] of pairs) {
    if (names.has(name)) throw createError('CLI_USAGE', `${option} has the name '${name}' twice`)
    names.add(name)
  }
  return Object.fromEntries(pairs)
}
