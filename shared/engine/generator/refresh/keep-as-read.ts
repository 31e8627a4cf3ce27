import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { DecisionInput } from '../context.ts'
import { requiredUrnsOf } from '../../graph/dependencies.ts'
import type { UrnAssignment } from '../registration/assign-urn.ts'
import type { CurrentState } from '../sets.ts'
import { toDecided, type StageResult } from '../stage.ts'
import { skipCreate } from '../targets/skip-create.ts'

/**
 * Answers a registration in a refresh that runs its program. An existing resource keeps its old
 * state. If the scope contains the resource, the previous stage has read this state again. New
 * resources are not created. Components and providers continue with the next stage, unless they
 * need a resource that is not created. Source: docs/spec/step-generation.md#after-the-refresh.
 */
export function keepAsRead(
  { programRefreshMode, sets }: Pick<DecisionInput, 'programRefreshMode' | 'sets'>,
  { urn, old }: UrnAssignment,
  draft: ResourceState,
): StageResult<void> {
  if (programRefreshMode !== 'only') return toDecided(undefined)
  const isBlocked = requiredUrnsOf(draft).some(requiredUrn => sets.uncreatedUrns.has(requiredUrn))
  if (!isBlocked && (!draft.custom || isProviderType(draft.type))) return toDecided(undefined)
  if (old === undefined) return skipCreate(draft, { handledUrns: [urn] })
  const current: CurrentState = { ...old, op: 'refresh', skipReason: 'as read' }
  // The state is also listed under its old URN, because the program receives that URN for a
  // resource that was not read.
  const delta = {
    currentStates: [
      [old.state.urn, current],
      [urn, current],
    ] as const,
  }
  return { kind: 'kept', current, delta }
}
