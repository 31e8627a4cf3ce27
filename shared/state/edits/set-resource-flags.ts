import { createError } from '../../errors/error.ts'
import { withFields, withFlag } from '../field-order.ts'
import type { StoredDeployment } from '../stored.ts'
import { createUnknownResourceError } from './find-resource.ts'

/** A field of a resource that users set to true, or remove. */
export type ResourceFlag = 'protect' | 'taint'

/**
 * Sets or removes a flag on the resources with the URNs in `urns`, or on all resources. Old copies,
 * which only wait for their delete, are skipped. `count`: the number of selected URNs. If some of
 * the URNs belong to no live resource, throws a single STATE_RESOURCE_UNKNOWN that names all these
 * URNs. Source: docs/spec/state-integrity.md#state-edits.
 */
export function setResourceFlags(
  state: StoredDeployment,
  urns: readonly string[] | 'all',
  { mark, isSet }: { readonly mark: ResourceFlag; readonly isSet: boolean },
): { readonly state: StoredDeployment; readonly count: number } {
  const { resources = [] } = state
  const liveUrns = new Set(
    resources.filter(({ delete: isDeleted }) => isDeleted !== true).map(({ urn }) => urn),
  )
  const selectedUrns = urns === 'all' ? liveUrns : new Set(urns)
  const unknownErrors = [...selectedUrns]
    .filter(urn => !liveUrns.has(urn))
    .map(urn => createUnknownResourceError(urn, liveUrns))
  if (unknownErrors.length === 1) throw unknownErrors[0]
  if (unknownErrors.length > 1)
    throw createError('STATE_RESOURCE_UNKNOWN', messagesOf(unknownErrors))
  const changedResources = resources.map(resource => {
    if (resource['delete'] === true || !selectedUrns.has(resource.urn)) return resource
    return isSet ? withFlag(resource, mark) : withFields(resource, { [mark]: undefined })
  })
  return {
    state: resources.length === 0 ? state : { ...state, resources: changedResources },
    count: urns === 'all' ? selectedUrns.size : urns.length,
  }
}

function messagesOf(errors: readonly Error[]): string {
  return errors.map(({ message }) => message).join('\n')
}
