import { stackType, type Urn, urnPartsOf } from '../names/urn.ts'
import { type StackId, stackIdOf } from '../records/ids.ts'
import type { StoredDeployment } from '../state/stored.ts'
import { hasBackendFlag } from './backend-flags.ts'
import { unknownProject } from './backend-keys.ts'
import { type Backend, listBackendStacks } from './open-backend.ts'
import { parseCheckpointState, readCheckpoint } from './stack-objects.ts'

/**
 * Returns the project in the URN of a state's stack resource, or else of its first resource.
 * Returns undefined for a state without resources.
 */
export function projectOfState(state: StoredDeployment | null): string | undefined {
  const resources = state?.resources ?? []
  const resource = resources.find(({ type }) => type === stackType) ?? resources[0]
  return resource === undefined ? undefined : urnPartsOf(resource.urn as Urn).project
}

/**
 * Returns the id of a stack in the legacy layout, which has no projects. The id has the project of
 * the stack's resources. Without resources it has `project`. Returns undefined if the stack does
 * not exist. Throws BACKEND_INVALID, STATE_TOO_NEW.
 */
export async function findLegacyStack(
  backend: Backend,
  stack: string,
  project: string = unknownProject,
): Promise<StackId | undefined> {
  const legacyBackend: Backend = { ...backend, layout: 'legacy' }
  const object = await readCheckpoint(legacyBackend, stackIdOf(unknownProject, stack))
  if (object === undefined) return undefined
  return stackIdOf(projectOfState(parseCheckpointState(object).deployment) ?? project, stack)
}

/**
 * Lists the names of the stacks in the legacy layout. A backend of either layout may have such
 * stacks.
 */
export async function listLegacyStacks(backend: Backend): Promise<readonly string[]> {
  const ids = await listBackendStacks({ ...backend, layout: 'legacy' })
  return ids.map(id => id.slice(stackIdOf(unknownProject, '').length))
}

/**
 * Returns the warning about the legacy layout of a backend, or about stacks that an old client left
 * in this layout. Returns undefined if there is nothing to upgrade, or if the environment disables
 * the warning.
 */
export async function describeLegacyLayout(backend: Backend): Promise<string | undefined> {
  const { env, layout, store } = backend
  if (layout === 'legacy')
    return hasBackendFlag(env, 'IGNORE_DEPRECATION_WARNING') ||
      hasBackendFlag(env, 'IGNORE_DEPRECATION_ERROR')
      ? undefined
      : `warning: ${store.address} has the legacy layout without projects, which is deprecated. ` +
          'Run `antichain state upgrade` once, or set PULUMI_DIY_BACKEND_IGNORE_DEPRECATION_ERROR=1.'
  if (hasBackendFlag(env, 'NO_LEGACY_WARNING')) return undefined
  const names = await listLegacyStacks(backend)
  return names.length === 0
    ? undefined
    : `warning: ${store.address} has stacks in the legacy layout, which commands ignore: ` +
        `${names.join(', ')}. ` +
        'Run `antichain state upgrade`, or set PULUMI_DIY_BACKEND_NO_LEGACY_WARNING=1.'
}
