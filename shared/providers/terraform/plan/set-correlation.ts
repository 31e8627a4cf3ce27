import { type CtyValue } from '../values/cty-value.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import { findAtCtyPath, walkValue } from '../values/walk-value.ts'
import { type ObjectShape, findAttributeAtPath } from './object-shape.ts'

/**
 * Reports whether a prior element of a set may come from an element of the configuration. The two
 * may differ only in computed attributes that the configuration does not set.
 */
export function mayComeFromConfig(shape: ObjectShape, prior: CtyValue, config: CtyValue): boolean {
  let isPossible = true
  walkValue(prior, (part, path) => {
    if (!isPossible) return false
    const configPart = findAtCtyPath(config, path)
    if (configPart !== undefined && areEqualRaw(configPart, part, { ignoresRefinements: true }))
      return false
    const attribute = findAttributeAtPath(shape, path)
    // The elements of sets have no addresses to compare them by, so unequal sets never match.
    if (configPart === undefined || configPart.type.kind === 'set') isPossible = false
    else if (attribute?.kind === 'plain')
      isPossible = attribute.isComputed === true && configPart.kind === 'null'
    return isPossible && attribute?.kind !== 'plain'
  })
  return isPossible
}
