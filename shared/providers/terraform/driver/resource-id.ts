import { type IdSource, missingResourceId } from '../mapping/resource-names.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { formatCtyNumber } from '../values/cty-number.ts'

/**
 * Returns the id of an object in Pulumi: its attribute `id`, if that is the source of the id and has
 * a value. Otherwise returns `missingResourceId`.
 */
export function idOfObject(source: IdSource, value: CtyValue): string {
  if (source.kind === 'none') return missingResourceId
  const id = value.kind === 'object' ? value.entries.get('id') : undefined
  if (id?.kind === 'string' && id.text !== '') return id.text
  return id?.kind === 'number' ? formatCtyNumber(id.number) : missingResourceId
}
