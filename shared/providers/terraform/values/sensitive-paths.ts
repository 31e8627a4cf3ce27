import { type CtyPath, createAttributeStep, formatCtyPath, isAtOrBelow } from './cty-path.ts'
import type { CtyValue } from './cty-value.ts'
import type { AttributeSchema, BlockSchema } from './schema.ts'
import { childrenOf } from './walk-value.ts'

/**
 * Returns the paths of all parts of a value that its schema marks as sensitive. A sensitive part
 * within a set marks the whole set, because elements of sets have no address.
 */
export function listSensitivePaths(
  block: BlockSchema,
  value: CtyValue,
  path: CtyPath = [],
): readonly CtyPath[] {
  if (value.kind !== 'object') return []
  const direct = listAttributePaths(block.attributes, value, path)
  const nested = [...block.blocks].flatMap(([name, { block: inner, nesting }]) => {
    const part = value.entries.get(name)
    if (part === undefined) return []
    const partPath = [...path, createAttributeStep(name)]
    return nesting === 'single' || nesting === 'group'
      ? listSensitivePaths(inner, part, partPath)
      : listElementPaths(part, partPath, (element, elementPath) =>
          listSensitivePaths(inner, element, elementPath),
        )
  })
  return mergeSensitivePaths(direct, nested)
}

function listAttributePaths(
  attributes: ReadonlyMap<string, AttributeSchema>,
  value: CtyValue,
  path: CtyPath,
): readonly CtyPath[] {
  if (value.kind !== 'object') return []
  return [...attributes].flatMap(([name, attribute]) => {
    const part = value.entries.get(name)
    const partPath = [...path, createAttributeStep(name)]
    if (part === undefined) return []
    if (attribute.isSensitive === true) return [partPath]
    if (attribute.kind === 'plain') return []
    const { attributes: inner, nesting } = attribute.nested
    return nesting === 'single'
      ? listAttributePaths(inner, part, partPath)
      : listElementPaths(part, partPath, (element, elementPath) =>
          listAttributePaths(inner, element, elementPath),
        )
  })
}

function listElementPaths(
  value: CtyValue,
  path: CtyPath,
  pathsOf: (element: CtyValue, path: CtyPath) => readonly CtyPath[],
): readonly CtyPath[] {
  const paths = childrenOf(value).flatMap(([step, element]) => pathsOf(element, [...path, step]))
  return value.kind === 'set' && paths.length > 0 ? [path] : paths
}

/** Returns the paths of both lists, without paths at or below another one. */
export function mergeSensitivePaths(
  first: readonly CtyPath[],
  second: readonly CtyPath[],
): readonly CtyPath[] {
  const shortestFirst = [...first, ...second].toSorted((a, b) => a.length - b.length)
  const outermost: CtyPath[] = []
  for (const path of shortestFirst)
    if (!outermost.some(other => isAtOrBelow(path, other))) outermost.push(path)
  return outermost
}

/** Reports whether two sets of paths mark the same parts. Order does not matter. */
export function areEqualSensitivePaths(
  first: readonly CtyPath[],
  second: readonly CtyPath[],
): boolean {
  const keysOf = (paths: readonly CtyPath[]): string =>
    mergeSensitivePaths(paths, []).map(formatCtyPath).toSorted().join('\n')
  return keysOf(first) === keysOf(second)
}
