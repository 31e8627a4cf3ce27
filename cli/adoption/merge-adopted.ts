import { createError } from '../../shared/errors/error.ts'
import { providerReferenceOf } from '../../shared/names/provider-reference.ts'
import { stackType } from '../../shared/names/urn.ts'
import type {
  AdoptedInstance,
  AdoptingStack,
} from '../../shared/providers/terraform/adoption/adopt-instances.ts'
import { createResourceState, type ResourceState } from '../../shared/state/resource.ts'

/**
 * Separates the objects that a stack already has (`existing`) from those that are added to it
 * (`adopted`). Throws STACK_NOT_EMPTY if another resource of the stack has the URN of an added
 * object.
 */
export function separateExistingObjects(
  instances: readonly AdoptedInstance[],
  resources: readonly ResourceState[],
): {
  readonly adopted: readonly AdoptedInstance[]
  readonly existing: readonly AdoptedInstance[]
} {
  const keyOf = ({ urn, delete: isOld, id }: ResourceState): string => `${urn} ${isOld} ${id}`
  const keys = new Set(resources.map(keyOf))
  const liveUrns = new Set(resources.filter(state => !state.delete).map(({ urn }) => urn))
  const isExisting = ({ state }: AdoptedInstance): boolean => keys.has(keyOf(state))
  const adopted = instances.filter(instance => !isExisting(instance))
  const conflict = adopted.find(({ state }) => !state.delete && liveUrns.has(state.urn))
  if (conflict !== undefined)
    throw createError(
      'STACK_NOT_EMPTY',
      `the stack has another resource ${conflict.state.urn} already, so ${conflict.instance.address} cannot be adopted`,
      {
        hint: 'Nothing was changed. Adopt into an empty stack, or give the object another name with `--names <file>`.',
      },
    )
  return { adopted, existing: instances.filter(isExisting) }
}

/**
 * Returns the resources of a stack with these additions: the adopted objects, their providers, and
 * the root resource if the stack has none.
 */
export function addAdoptedResources(
  resources: readonly ResourceState[],
  additions: {
    readonly stack: AdoptingStack
    readonly providers: readonly ResourceState[]
    readonly adopted: readonly AdoptedInstance[]
  },
): readonly ResourceState[] {
  const { stack, providers, adopted } = additions
  const root = createResourceState({ urn: stack.root, type: stackType, custom: false })
  const hasRoot = resources.some(({ urn }) => urn === stack.root)
  const states = adopted.map(({ state }) => state)
  const references = new Set(states.map(({ provider }) => provider))
  const referenceOf = ({ urn, id }: ResourceState): string => providerReferenceOf(urn, id)
  return [
    ...(hasRoot ? [] : [root]),
    ...resources,
    ...providers.filter(
      provider => !resources.includes(provider) && references.has(referenceOf(provider)),
    ),
    ...states.filter(state => !state.delete),
    ...states.filter(state => state.delete),
  ]
}
