import { type CtyPath, attributeStep, formatCtyPath, isAtOrBelow } from './cty-path.ts'
import type { CtyValue } from './cty-value.ts'
import type { AttributeSchema, BlockSchema } from './schema.ts'
import { childrenOf } from './walk.ts'

/**
 * Returns the paths of all sensitive parts that a schema names in a value. A sensitive part within
 * a set marks the whole set, because elements of sets have no address.
 */
export function schemaSensitivePaths(
  block: BlockSchema,
  value: CtyValue,
  path: CtyPath = [],
): readonly CtyPath[] {
  if (value.kind !== 'object') return []
  const own = attributePaths(block.attributes, value, path)
  const nested = [...block.blocks].flatMap(([name, { block: inner, nesting }]) => {
    const part = value.entries.get(name)
    if (part === undefined) return []
    const place = [...path, attributeStep(name)]
    return nesting === 'single' || nesting === 'group'
      ? schemaSensitivePaths(inner, part, place)
      : eachElement(part, place, (element, elementPath) =>
          schemaSensitivePaths(inner, element, elementPath),
        )
  })
  return mergeSensitivePaths(own, nested)
}

function attributePaths(
  attributes: ReadonlyMap<string, AttributeSchema>,
  value: CtyValue,
  path: CtyPath,
): readonly CtyPath[] {
  if (value.kind !== 'object') return []
  return [...attributes].flatMap(([name, attribute]) => {
    const part = value.entries.get(name)
    const place = [...path, attributeStep(name)]
    if (part === undefined) return []
    if (attribute.isSensitive === true) return [place]
    if (attribute.kind === 'plain') return []
    const { attributes: inner, nesting } = attribute.nested
    return nesting === 'single'
      ? attributePaths(inner, part, place)
      : eachElement(part, place, (element, elementPath) =>
          attributePaths(inner, element, elementPath),
        )
  })
}

function eachElement(
  value: CtyValue,
  path: CtyPath,
  pathsOf: (element: CtyValue, path: CtyPath) => readonly CtyPath[],
): readonly CtyPath[] {
  const paths = childrenOf(value).flatMap(([step, element]) => pathsOf(element, [...path, step]))
  return value.kind === 'set' && paths.length > 0 ? [path] : paths
}

/** Returns all paths of both sets, without those below another one. */
export function mergeSensitivePaths(
  first: readonly CtyPath[],
  second: readonly CtyPath[],
): readonly CtyPath[] {
  const all = [...first, ...second].toSorted((a, b) => a.length - b.length)
  const kept: CtyPath[] = []
  for (const path of all) if (!kept.some(other => isAtOrBelow(path, other))) kept.push(path)
  return kept
}

/** Reports whether two sets of paths mark the same parts. Order does not matter. */
export function equalSensitivePaths(
  first: readonly CtyPath[],
  second: readonly CtyPath[],
): boolean {
  const keysOf = (paths: readonly CtyPath[]): string =>
    mergeSensitivePaths(paths, []).map(formatCtyPath).toSorted().join('\n')
  return keysOf(first) === keysOf(second)
}
