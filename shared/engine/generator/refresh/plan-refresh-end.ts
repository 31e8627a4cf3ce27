import type { Decision } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Urn } from '../../../names/urn.ts'
import type { GeneratorContext } from '../context.ts'
import { type RewriteDeps, rewriteState } from './rewrite-states.ts'
import type { CurrentState } from '../sets.ts'

/**
 * What a refresh by the program writes at its end of what the program registered. Where something
 * was read, states forget what had no step: what is no target, and what the program registers no
 * more. The original lists these behind the others, and cuts what points to what comes later
 * (`FilterRefreshDeletes`): a quirk that states show. `kept`: states without a record, which keep
 * empty lists that a refresh takes out of all others (`rebuildBaseState`).
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
  for (const [urn, current] of [...ctx.sets.current]) {
    if (!isListed(current) || urn !== current.state.urn) continue
    const { state } = current
    const next = ctx.sets.refreshed.size > 0 ? keepReferencesTo(before, state) : state
    before.add(urn)
    if (next !== current.state) trimmed.push(rewriteState(ctx, deps, urn, { current, next }))
    else if (current.ref.kind === 'base' && hasEmptyList(next)) kept.add(current.ref.index)
  }
  return { trimmed, ended: { isRefresh: true, ...(kept.size === 0 ? {} : { kept: [...kept] }) } }
}

function hasEmptyList({ propertyDependencies }: ResourceState): boolean {
  return [...propertyDependencies.values()].some(urns => urns.length === 0)
}

/** The state with those of the names in it that are among these. */
function keepReferencesTo(others: ReadonlySet<Urn>, state: ResourceState): ResourceState {
  const isThere = (urn: Urn | ''): boolean => urn === '' || others.has(urn)
  const { parent, deletedWith, dependencies, replaceWith, propertyDependencies } = state
  const ofProperties = [...propertyDependencies.values()].flat()
  const named = [parent, deletedWith, ...dependencies, ...replaceWith, ...ofProperties]
  if (named.every(isThere)) return state
  const lists = [...propertyDependencies]
    .map(([key, urns]) => [key, urns.filter(isThere)] as const)
    .filter(([, urns]) => urns.length > 0)
  return {
    ...state,
    parent: isThere(parent) ? parent : '',
    deletedWith: isThere(deletedWith) ? deletedWith : '',
    dependencies: dependencies.filter(isThere),
    replaceWith: replaceWith.filter(isThere),
    propertyDependencies: new Map(lists),
  }
}

/** What is there by a step of this deployment, not what is neither made nor read. */
function isListed({ skipReason, refreshedIndex }: CurrentState): boolean {
  return skipReason !== 'not made' && (skipReason !== 'as read' || refreshedIndex !== undefined)
}
