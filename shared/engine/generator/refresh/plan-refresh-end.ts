import type { Decision } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Urn } from '../../../names/urn.ts'
import type { GeneratorContext } from '../context.ts'
import { type RewriteDeps, rewriteState } from './rewrite-states.ts'
import type { CurrentState } from '../sets.ts'

/**
 * Returns the records at the end of a refresh that runs the program. If a state was read, states
 * lose their references to resources without a step: untargeted ones, and those that the program no
 * longer registers. Pulumi lists these resources behind the others and cuts references to later
 * entries (`FilterRefreshDeletes`), which is visible in states. `kept`: states without a record,
 * which keep the empty lists that a refresh removes from all others (`rebuildBaseState`).
 */
export function planRefreshEnd(
  ctx: GeneratorContext,
  deps: RewriteDeps,
): {
  readonly trimmed: readonly Decision[]
  readonly ended: Pick<Decision & { kind: 'program-ended' }, 'isRefresh' | 'kept'>
} {
  const trimmed: Decision[] = []
  const kept = new Set<number>()
  const before = new Set<Urn>()
  for (const [urn, current] of [...ctx.input.sets.current]) {
    if (!isListed(current) || urn !== current.state.urn) continue
    const { state } = current
    const next = ctx.input.sets.refreshed.size > 0 ? keepReferencesTo(before, state) : state
    before.add(urn)
    if (next !== current.state) trimmed.push(rewriteState(ctx, deps, urn, { current, next }))
    else if (current.ref.kind === 'base' && hasEmptyList(next)) kept.add(current.ref.index)
  }
  return { trimmed, ended: { isRefresh: true, ...(kept.size === 0 ? {} : { kept: [...kept] }) } }
}

function hasEmptyList({ propertyDependencies }: ResourceState): boolean {
  return [...propertyDependencies.values()].some(urns => urns.length === 0)
}

/** Returns the state with only the references to these URNs. */
function keepReferencesTo(others: ReadonlySet<Urn>, state: ResourceState): ResourceState {
  const isKept = (urn: Urn | ''): boolean => urn === '' || others.has(urn)
  const { parent, deletedWith, dependencies, replaceWith, propertyDependencies } = state
  const ofProperties = [...propertyDependencies.values()].flat()
  const named = [parent, deletedWith, ...dependencies, ...replaceWith, ...ofProperties]
  if (named.every(isKept)) return state
  const lists = [...propertyDependencies]
    .map(([key, urns]) => [key, urns.filter(isKept)] as const)
    .filter(([, urns]) => urns.length > 0)
  return {
    ...state,
    parent: isKept(parent) ? parent : '',
    deletedWith: isKept(deletedWith) ? deletedWith : '',
    dependencies: dependencies.filter(isKept),
    replaceWith: replaceWith.filter(isKept),
    propertyDependencies: new Map(lists),
  }
}

/** Reports whether a resource has a step in this refresh: it was read, or it was decided. */
function isListed({ skipReason, refreshedIndex }: CurrentState): boolean {
  return skipReason !== 'not made' && (skipReason !== 'as read' || refreshedIndex !== undefined)
}
