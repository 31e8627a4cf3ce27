import type { Decision } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Urn } from '../../../names/urn.ts'
import type { GeneratorContext } from '../context.ts'
import { type RewriteDeps, rewriteState } from '../steps/record-changed-states.ts'
import type { CurrentState } from '../sets.ts'

/**
 * Returns the records at the end of a refresh that runs the program: `rewrites` of states, and
 * fields of the record `program-ended`. If a state was read, the registered states lose their
 * references to resources without a step: untargeted ones, and unregistered ones. The reason is
 * that Pulumi lists these resources last, and removes references to later entries (its function
 * `FilterRefreshDeletes`). A refresh also removes empty lists of property dependencies, like
 * `rebuildBaseState` of Pulumi. `kept`: the base indices of the registered states that keep such
 * lists, because they get no record.
 */
export function planRefreshEnd(
  ctx: GeneratorContext,
  deps: RewriteDeps,
): {
  readonly rewrites: readonly Decision[]
  readonly programEndFields: Pick<Decision & { kind: 'program-ended' }, 'isRefresh' | 'kept'>
} {
  const rewrites: Decision[] = []
  const keptIndices = new Set<number>()
  const listedUrns = new Set<Urn>()
  for (const [urn, current] of [...ctx.input.sets.currentStates]) {
    if (!isListed(current) || urn !== current.state.urn) continue
    const { state } = current
    const nextState =
      ctx.input.sets.refreshedStates.size > 0 ? keepReferencesTo(listedUrns, state) : state
    listedUrns.add(urn)
    if (nextState !== current.state)
      rewrites.push(rewriteState(ctx, deps, urn, { current, next: nextState }))
    else if (current.ref.kind === 'base' && hasEmptyList(nextState))
      keptIndices.add(current.ref.index)
  }
  return {
    rewrites,
    programEndFields: {
      isRefresh: true,
      ...(keptIndices.size === 0 ? {} : { kept: [...keptIndices] }),
    },
  }
}

function hasEmptyList({ propertyDependencies }: ResourceState): boolean {
  return [...propertyDependencies.values()].some(urns => urns.length === 0)
}

/** Returns the state with only its references to URNs in `keptUrns`. */
function keepReferencesTo(keptUrns: ReadonlySet<Urn>, state: ResourceState): ResourceState {
  const isKept = (urn: Urn | ''): boolean => urn === '' || keptUrns.has(urn)
  const { parent, deletedWith, dependencies, replaceWith, propertyDependencies } = state
  const propertyUrns = [...propertyDependencies.values()].flat()
  const referencedUrns = [parent, deletedWith, ...dependencies, ...replaceWith, ...propertyUrns]
  if (referencedUrns.every(isKept)) return state
  const keptPropertyDependencies = [...propertyDependencies]
    .map(([key, urns]) => [key, urns.filter(isKept)] as const)
    .filter(([, urns]) => urns.length > 0)
  return {
    ...state,
    parent: isKept(parent) ? parent : '',
    deletedWith: isKept(deletedWith) ? deletedWith : '',
    dependencies: dependencies.filter(isKept),
    replaceWith: replaceWith.filter(isKept),
    propertyDependencies: new Map(keptPropertyDependencies),
  }
}

/** Reports whether a resource has a step in this refresh: it was read, decided or kept. */
function isListed({ skipReason, refreshedIndex }: CurrentState): boolean {
  return skipReason !== 'not created' && (skipReason !== 'as read' || refreshedIndex !== undefined)
}
