import type { StackNames } from './edits/rename-stack-in-state.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

/** Returns the resources of a state whose URNs name another stack or project. */
export function findForeignResources(
  { resources = [] }: StoredDeployment,
  target: StackNames,
): readonly StoredResource[] {
  const prefix = `urn:pulumi:${target.stack}::${target.project}::`
  return resources.filter(({ urn }) => !urn.startsWith(prefix))
}

/**
 * Returns the warning about resources of another stack in the state of a deployment. Undefined: the
 * state has none. As in Pulumi, such a state is used: a user forced its import, or changed it in
 * the backend.
 */
export function describeForeignResources(
  state: StoredDeployment,
  target: StackNames,
): string | undefined {
  const foreignResources = findForeignResources(state, target)
  const [first] = foreignResources
  if (first === undefined) return undefined
  const count = foreignResources.length
  const others = count === 1 ? '' : ` and ${count - 1} more`
  return (
    `the state has resources that belong to another stack, and a deployment deletes them: ${first.urn}${others}. ` +
    'If this is the wrong state, stop here, and import the right one'
  )
}
