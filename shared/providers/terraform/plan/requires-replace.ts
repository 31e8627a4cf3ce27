import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import type { BlockSchema } from '../values/schema.ts'
import { equalValuesOf } from '../values/semantic-equality.ts'
import { getAtCtyPath } from '../values/walk.ts'
import { type ProviderFlaw, attributeAtPath } from './object-shape.ts'

/** The paths that do require a replacement, and paths that exist nowhere. */
export interface ReplacePaths {
  readonly paths: readonly CtyPath[]
  readonly flaws: readonly ProviderFlaw[]
}

/**
 * Returns the paths for which a provider requires a replacement with reason: their values differ,
 * or may differ. Write-only attributes are null in both states, so that the provider is believed.
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
    const before = getAtCtyPath(prior, path)
    const after = getAtCtyPath(planned, path)
    const existing = before ?? after
    if (existing === undefined) {
      flaws.push({ message: 'requires replacement for an attribute that does not exist', path })
      continue
    }
    const absent = nullOf(existing.type)
    const isSame = equalValuesOf(after ?? absent, before ?? absent) === true
    if (!isSame || attributeAtPath(block, path)?.isWriteOnly === true) paths.push(path)
  }
  return { paths, flaws }
}
