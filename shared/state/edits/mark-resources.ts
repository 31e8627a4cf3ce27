import { error } from '../../errors/error.ts'
import { withFields, withFlag } from '../field-order.ts'
import type { StoredDeployment } from '../stored.ts'
import { unknownResourceError } from './find-resource.ts'

/** A mark on a resource that users set and remove. */
export type ResourceMark = 'protect' | 'taint'

/**
 * Sets or removes a mark on the resources of some URNs, or of all. Copies marked for deletion are
 * skipped. Returns the number of selected resources. If URNs are unknown, one error names all of
 * them and nothing changes. Throws STATE_RESOURCE_UNKNOWN. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function withMark(
  state: StoredDeployment,
  urns: readonly string[] | 'all',
  { mark, isSet }: { readonly mark: ResourceMark; readonly isSet: boolean },
): { readonly state: StoredDeployment; readonly count: number } {
  const { resources = [] } = state
  const live = new Set(resources.filter(({ delete: gone }) => gone !== true).map(({ urn }) => urn))
  const meant = urns === 'all' ? live : new Set(urns)
  const unknown = [...meant]
    .filter(urn => !live.has(urn))
    .map(urn => unknownResourceError(urn, live))
  if (unknown.length === 1) throw unknown[0]
  if (unknown.length > 1) throw error('STATE_RESOURCE_UNKNOWN', messagesOf(unknown))
  const marked = resources.map(resource => {
    if (resource['delete'] === true || !meant.has(resource.urn)) return resource
    return isSet ? withFlag(resource, mark) : withFields(resource, { [mark]: undefined })
  })
  return {
    state: resources.length === 0 ? state : { ...state, resources: marked },
    count: urns === 'all' ? meant.size : urns.length,
  }
}

function messagesOf(errors: readonly Error[]): string {
  return errors.map(({ message }) => message).join('\n')
}
