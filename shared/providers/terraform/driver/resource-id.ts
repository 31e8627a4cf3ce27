import { type IdSource, missingResourceId } from '../mapping/resource-names.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { formatCtyNumber } from '../values/cty-number.ts'

/**
 * Returns the id of an object in Pulumi: the value of its attribute `id`. Returns
 * `missingResourceId` if its type has no such attribute, or if the value is empty or unknown.
 */
export function idOfObject(source: IdSource, value: CtyValue): string {
  if (source.kind === 'none') return missingResourceId
  const id = value.kind === 'object' ? value.entries.get('id') : undefined
  if (id?.kind === 'string' && id.text !== '') return id.text
  return id?.kind === 'number' ? formatCtyNumber(id.number) : missingResourceId
}
