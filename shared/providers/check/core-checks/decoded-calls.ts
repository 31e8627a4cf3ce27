import { hasCode } from '../../../errors/error.ts'
import { decodeValue } from '../../terraform/driver/wire-values.ts'
import type { ResourceType } from '../../terraform/driver/terraform-package.ts'
import type {
  DiagnosedResponse,
  PlanResponse,
  ReceivedValue,
} from '../../terraform/client/terraform-client.ts'
import type { CtyValue } from '../../terraform/values/cty-value.ts'
import { conformanceErrorsOf } from '../../terraform/values/conformance.ts'
import type { CoreCheckSubject } from './recorded-calls.ts'

/** A state of a response: its value, or the flaw that makes it unreadable. */
export type DecodedState = { readonly value: CtyValue } | { readonly flaw: string }

/** Reports whether a response has errors. The checks ignore the values of such a response. */
export function hasErrors({ diagnostics }: DiagnosedResponse): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Decodes a state of a response. A state that does not fit the type of the resource is a flaw. */
export function decodeState({ type }: ResourceType, received: ReceivedValue): DecodedState {
  try {
    const value = decodeValue(received, type)
    const flaws = value.kind === 'null' ? [] : conformanceErrorsOf(value.type, type)
    return flaws.length === 0 ? { value } : { flaw: flaws.join('; ') }
  } catch (thrown) {
    if (!hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) throw thrown
    return { flaw: thrown.message }
  }
}

/** A decoded plan. */
export interface DecodedPlan {
  readonly prior: CtyValue
  readonly config: CtyValue
  readonly planned: CtyValue
  /** Whether the response is of the legacy type system. Terraform tolerates its contradictions. */
  readonly isLegacy: boolean
  readonly requiresReplace: PlanResponse['requiresReplace']
}

/** Returns the readable plans without errors. */
export function listPlans({ resource, calls }: CoreCheckSubject): readonly DecodedPlan[] {
  return calls.plans.flatMap(({ request, response }) => {
    const planned = decodeState(resource, response.plannedState)
    if (hasErrors(response) || 'flaw' in planned) return []
    return [
      {
        prior: decodeValue(request.priorState, resource.type),
        config: decodeValue(request.config, resource.type),
        planned: planned.value,
        isLegacy: response.isLegacyTypeSystem,
        requiresReplace: response.requiresReplace,
      },
    ]
  })
}

/** A decoded result of a change. */
export interface DecodedApply {
  readonly planned: CtyValue
  readonly actual: CtyValue
  /** As in `DecodedPlan`. */
  readonly isLegacy: boolean
}

/** Returns the readable results of changes that had no errors. */
export function listApplies({ resource, calls }: CoreCheckSubject): readonly DecodedApply[] {
  return calls.applies.flatMap(({ request, response }) => {
    const actual = decodeState(resource, response.newState)
    if (hasErrors(response) || 'flaw' in actual) return []
    return [
      {
        planned: decodeValue(request.plannedState, resource.type),
        actual: actual.value,
        isLegacy: response.isLegacyTypeSystem,
      },
    ]
  })
}
