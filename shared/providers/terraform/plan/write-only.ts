import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import type { BlockSchema } from '../values/schema.ts'
import { transformValue, walkValue } from '../values/walk-value.ts'
import { findAttributeAtPath } from './object-shape.ts'

/** Returns the paths of write-only attributes that have a value. A state must have none. */
export function findWriteOnlyPaths(block: BlockSchema, value: CtyValue): readonly CtyPath[] {
  const paths: CtyPath[] = []
  walkValue(value, (part, path) => {
    const isLeak = part.kind !== 'null' && findAttributeAtPath(block, path)?.isWriteOnly === true
    if (isLeak) paths.push(path)
    return !isLeak
  })
  return paths
}

/** Replaces the values of write-only attributes by null. */
export function removeWriteOnlyValues(block: BlockSchema, value: CtyValue): CtyValue {
  if (findWriteOnlyPaths(block, value).length === 0) return value
  return transformValue(value, (part, path) =>
    findAttributeAtPath(block, path)?.isWriteOnly === true ? nullOf(part.type) : part,
  )
}
