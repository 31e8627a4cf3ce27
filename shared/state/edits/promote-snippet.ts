import { createError } from '../../errors/error.ts'
import { withFields, withFlag } from '../field-order.ts'
import { readSnippets } from '../snippets.ts'
import type { StoredDeployment } from '../stored.ts'

/**
 * Removes a snippet from a state. Its resources stay, no longer belong to the snippet, and are
 * protected, so that an update without their code cannot delete them. `uuid`: the id of the
 * snippet. `count`: the number of these resources. Throws SNIPPET_UNKNOWN. Source:
 * pkg/cmd/pulumi/state/state_promote.go, promoteSnippetFromSnapshot, v3.274.1.
 */
export function promoteSnippet(
  state: StoredDeployment,
  uuid: string,
): { readonly state: StoredDeployment; readonly count: number } {
  const index = readSnippets(state).findIndex(snippet => snippet.uuid === uuid)
  if (index === -1)
    throw createError(
      'SNIPPET_UNKNOWN',
      `no snippet with the id '${uuid}' exists in the current state`,
    )
  const { snippets = [], resources, ...otherFields } = state
  const remainingSnippets = snippets.toSpliced(index, 1)
  let count = 0
  const changedResources = resources?.map(resource => {
    if (resource['snippetID'] !== uuid) return resource
    count += 1
    return withFlag(withFields(resource, { snippetID: undefined }), 'protect')
  })
  return {
    state: {
      ...otherFields,
      ...(changedResources === undefined ? {} : { resources: changedResources }),
      ...(remainingSnippets.length === 0 ? {} : { snippets: remainingSnippets }),
    },
    count,
  }
}
