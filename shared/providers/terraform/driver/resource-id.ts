import { type IdSource, missingResourceId } from '../mapping/resource-names.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { formatCtyNumber } from '../values/cty-number.ts'

/**
 * Returns the id of an object in Pulumi: the value of its attribute `id`. Returns
 * `missingResourceId` for a type without a source of an id, and for a null, empty or unknown value.
 */
export function idOfObject(source: IdSource, value: CtyValue): string {
  if (source.kind === 'none') return missingResourceId
  const id = value.kind === 'object' ? value.entries.get('id') : undefined
  if (id?.kind === 'string' && id.text !== '') return id.text
  return id?.kind === 'number' ? formatCtyNumber(id.number) : missingResourceId
}
