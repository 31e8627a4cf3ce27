import type { PropertyDiff } from '../../provider.ts'
import { toPropertyPath } from '../mapping/property-paths.ts'
import { findAttributeAtPath } from '../plan/object-shape.ts'
import {
  type CtyPath,
  createAttributeStep,
  createIndexStep,
  isAtOrBelow,
  createKeyStep,
} from '../values/cty-path.ts'
import type { CtyMapping, CtySequence, CtyValue } from '../values/cty-value.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import type { TypeSchema } from './terraform-package.ts'

/** A difference between two objects, with the path of the smallest part that differs. */
interface ChangedPart {
  readonly path: CtyPath
  readonly kind: 'add' | 'delete' | 'update'
}

/**
 * Returns the differences between the prior and the planned object by property path. Attributes
 * that only the provider sets are left out on every level, unless nothing else differs.
 */
export function createDetailedDiff(
  { block, names }: Pick<TypeSchema, 'block' | 'names'>,
  values: { readonly prior: CtyValue; readonly planned: CtyValue },
  replacePaths: readonly CtyPath[],
): ReadonlyMap<string, PropertyDiff> {
  const parts = findChangedParts(values.prior, values.planned, [])
  const isConfigurable = ({ path }: ChangedPart): boolean =>
    path.every((_, index) => {
      const attribute = findAttributeAtPath(block, path.slice(0, index + 1))
      return (
        attribute === undefined || attribute.isRequired === true || attribute.isOptional === true
      )
    })
  const shownParts = parts.some(isConfigurable) ? parts.filter(isConfigurable) : parts
  return new Map(
    shownParts.map(({ path, kind }) => {
      const isReplaced = replacePaths.some(
        replacePath => isAtOrBelow(path, replacePath) || isAtOrBelow(replacePath, path),
      )
      const diff: PropertyDiff = { kind: isReplaced ? `${kind}-replace` : kind, inputDiff: false }
      return [toPropertyPath(names, path), diff] as const
    }),
  )
}

function findChangedParts(
  prior: CtyValue,
  planned: CtyValue,
  path: CtyPath,
): readonly ChangedPart[] {
  if (areEqualRaw(prior, planned)) return []
  if (prior.kind === 'null') return [{ path, kind: 'add' }]
  if (planned.kind === 'null') return [{ path, kind: 'delete' }]
  if (isMapping(prior) && isMapping(planned)) return compareEntries(prior, planned, path)
  if (isIndexed(prior) && isIndexed(planned)) return compareElements(prior, planned, path)
  return [{ path, kind: 'update' }]
}

const isMapping = (value: CtyValue): value is CtyMapping =>
  value.kind === 'object' || value.kind === 'map'

const isIndexed = (value: CtyValue): value is CtySequence =>
  value.kind === 'list' || value.kind === 'tuple'

function compareEntries(
  prior: CtyMapping,
  planned: CtyMapping,
  path: CtyPath,
): readonly ChangedPart[] {
  const keys = new Set([...prior.entries.keys(), ...planned.entries.keys()])
  return [...keys].flatMap(key => {
    const step = planned.kind === 'object' ? createAttributeStep(key) : createKeyStep(key)
    return compareParts(prior.entries.get(key), planned.entries.get(key), [...path, step])
  })
}

function compareElements(
  prior: CtySequence,
  planned: CtySequence,
  path: CtyPath,
): readonly ChangedPart[] {
  const count = Math.max(prior.elements.length, planned.elements.length)
  return Array.from({ length: count }, (_, index) =>
    compareParts(prior.elements[index], planned.elements[index], [...path, createIndexStep(index)]),
  ).flat()
}

function compareParts(
  prior: CtyValue | undefined,
  planned: CtyValue | undefined,
  path: CtyPath,
): readonly ChangedPart[] {
  if (planned === undefined) return [{ path, kind: 'delete' }]
  if (prior === undefined) return [{ path, kind: 'add' }]
  return findChangedParts(prior, planned, path)
}
