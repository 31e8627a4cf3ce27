import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'

/** The URN of a resource that no recorded state has. */
export const absentUrn = 'urn:pulumi:dev::golden::gold:index:Thing::absent'

const absentProvider = 'urn:pulumi:dev::golden::pulumi:providers:gold::absent::id'

/** Resources, and the one of them that a damage changes. */
interface DamagedPart {
  readonly resources: readonly StoredResource[]
  readonly victim: StoredResource
}

/** A way to break a state. */
interface Damage {
  readonly kind: string
  readonly apply: (part: DamagedPart) => readonly StoredResource[]
}

const changeFields = (
  kind: string,
  createFields: (victim: StoredResource) => { readonly [field: string]: unknown },
): Damage => ({
  kind,
  apply: ({ resources, victim }) =>
    resources.map(resource =>
      resource === victim ? { ...victim, ...(createFields(victim) as object) } : resource,
    ),
})

/** Damages that a repair removes. */
export const repairableDamages: readonly Damage[] = [
  changeFields('a missing parent', () => ({ parent: absentUrn })),
  changeFields('a missing dependency', () => ({ dependencies: [absentUrn] })),
  changeFields('a missing property dependency', () => ({
    propertyDependencies: { value: [absentUrn] },
  })),
  changeFields('a missing resource in deletedWith', () => ({ deletedWith: absentUrn })),
  changeFields('a missing resource in replaceWith', () => ({ replaceWith: [absentUrn] })),
  {
    kind: 'a resource before its parent',
    apply: ({ resources, victim }) => [victim, ...resources.filter(other => other !== victim)],
  },
]

/** Damages that a repair refuses. */
export const fatalDamages: readonly Damage[] = [
  { kind: 'a duplicate URN', apply: ({ resources, victim }) => [...resources, { ...victim }] },
  changeFields('a missing provider', () => ({ provider: absentProvider })),
  changeFields('a malformed provider reference', () => ({ provider: 'gold' })),
  changeFields('a dependency on itself', ({ urn }) => ({ dependencies: [urn] })),
  {
    kind: 'a cycle of dependencies',
    apply: ({ resources, victim }) =>
      resources.map((resource, index) => {
        if (index === 0) return { ...resource, dependencies: [victim.urn] }
        return resource === victim
          ? { ...victim, dependencies: [resources[0]?.urn ?? ''] }
          : resource
      }),
  },
]

/** Damages with which a file is not a readable state. */
export const unreadableDamages: readonly Damage[] = [
  changeFields('an invalid URN', ({ urn }) => ({ urn: urn.replace(/::.*/, '') })),
  changeFields('a component with an id', () => ({ custom: false, id: 'x' })),
]

/**
 * Returns the state with a damage of its last live resource, and the URN of this resource. Returns
 * undefined for a state without a resource of a provider.
 */
export function applyDamage(
  state: StoredDeployment,
  { apply }: Damage,
): { readonly damaged: StoredDeployment; readonly urn: string } | undefined {
  const { resources = [] } = state
  const victim = resources.findLast(
    resource =>
      resource['delete'] === undefined &&
      resource['pendingReplacement'] === undefined &&
      resource['provider'] !== undefined,
  )
  if (victim === undefined) return undefined
  const damaged = { ...state, resources: apply({ resources, victim }) }
  return { damaged, urn: victim.urn }
}
