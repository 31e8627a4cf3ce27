import { readOwnGroup, readStackGroups } from '../../shared/platform/aws/aws-resources.ts'
import type { CatalogPort } from '../../shared/ports/catalog.ts'
import { requireGroup } from '../../shared/runtime/groups/port-groups.ts'

/**
 * Creates a catalog that throws STACK_GROUP_DIFFERENT for a stack of another group. A stack
 * reference can name such a stack. The role of the function allows no access to the records of the
 * stack, and this error names the reason. Throws AWS_SETTINGS_INVALID.
 */
export function withGroupBoundary<Catalog extends Pick<CatalogPort, 'getStack'>>(
  env: Readonly<Record<string, string | undefined>>,
  catalog: Catalog,
): Catalog {
  const groups = readStackGroups(env)
  if (groups.length === 0) return catalog
  const ownGroup = readOwnGroup(env)
  return {
    ...catalog,
    getStack: async id => {
      requireGroup(groups, ownGroup, id)
      return catalog.getStack(id)
    },
  }
}
