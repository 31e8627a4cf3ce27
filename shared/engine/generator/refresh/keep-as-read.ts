import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { DecisionInput } from '../context.ts'
import { requiredUrnsOf } from '../deletion/required-urns.ts'
import type { UrnClaim } from '../registration/claim-urn.ts'
import type { CurrentState } from '../sets.ts'
import { decided, type StageResult } from '../stage.ts'
import { skipCreate } from '../targets/skip-create.ts'

/**
 * Answers a registration in a refresh that runs its program: a resource is as it was read, and no
 * resource is created. Components and providers are decided as always, unless they need a resource
 * that is not created. Source: docs/spec/step-generation.md#after-the-refresh.
 */
export function keepAsRead(
  { refreshing, sets }: Pick<DecisionInput, 'refreshing' | 'sets'>,
  { urn, old }: UrnClaim,
  draft: ResourceState,
): StageResult<void> {
  if (refreshing !== 'only') return decided(undefined)
  const isBlocked = requiredUrnsOf(draft).some(required => sets.skipped.has(required))
  if (!isBlocked && (!draft.custom || isProviderType(draft.type))) return decided(undefined)
  if (old === undefined) return skipCreate(draft, { operated: [urn] })
  const current: CurrentState = { ...old, op: 'refresh', skipReason: 'as read' }
  // The old name too: the program is answered with the name that an unread resource has.
  const delta = {
    current: [
      [old.state.urn, current],
      [urn, current],
    ] as const,
  }
  return { kind: 'kept', current, delta }
}
