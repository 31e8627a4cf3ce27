import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import type { BlockSchema } from '../values/schema.ts'
import { compareSemantically } from '../values/semantic-equality.ts'
import { findAtCtyPath } from '../values/walk-value.ts'
import { type ProviderFlaw, findAttributeAtPath } from './object-shape.ts'

/**
 * The paths that require a replacement, and a flaw for each requested path that exists in neither
 * state.
 */
export interface ReplacePaths {
  readonly paths: readonly CtyPath[]
  readonly flaws: readonly ProviderFlaw[]
}

/**
 * Returns those of the requested paths whose values differ, or may differ. Write-only attributes
 * are null in both states, so their paths are returned without a comparison.
 */
export function filterReplacePaths(
  block: BlockSchema,
  { prior, planned }: { readonly prior: CtyValue; readonly planned: CtyValue },
  requested: readonly CtyPath[],
): ReplacePaths {
  const paths: CtyPath[] = []
  const flaws: ProviderFlaw[] = []
  if (prior.kind === 'null') return { paths, flaws }
  for (const path of requested) {
    const before = findAtCtyPath(prior, path)
    const after = findAtCtyPath(planned, path)
    const existing = before ?? after
    if (existing === undefined) {
      flaws.push({ message: 'requires replacement for an attribute that does not exist', path })
      continue
    }
    const absent = nullOf(existing.type)
    const isSame = compareSemantically(after ?? absent, before ?? absent) === true
    if (!isSame || findAttributeAtPath(block, path)?.isWriteOnly === true) paths.push(path)
  }
  return { paths, flaws }
}
