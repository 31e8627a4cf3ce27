import { hasCode } from '../../../errors/error.ts'
import { ProviderError } from '../../provider-error.ts'
import type { ApplyResponse } from '../client/terraform-client.ts'
import { findInconsistencies } from '../plan/object-inconsistencies.ts'
import type { ProviderFlaw } from '../plan/object-shape.ts'
import { findWriteOnlyPaths, removeWriteOnlyValues } from '../plan/write-only.ts'
import type { CtyPath } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { replaceUnknowns, unknownPathsOf } from '../values/walk-value.ts'
import { formatPathOf, formatProblem, readProblems } from './diagnostics.ts'
import type { PlannedChange } from './plan-change.ts'
import { readIdentityOf } from './prior-object.ts'
import { describeProviderBug } from './provider-failure.ts'
import type { ResourceType } from './terraform-package.ts'
import { showWarnings, type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeIdentity, encodeValue } from './wire-values.ts'

/**
 * A planned change to apply. Only `planned` can have unknown parts, for values that the provider
 * computes. For a deletion, `planned` is null.
 */
export interface ApplyInput
  extends Pick<PlannedChange, 'prior' | 'planned' | 'plannedPrivate' | 'plannedIdentity'> {
  readonly urn: string
  /** The configuration as the program wrote it. Null for a deletion. */
  readonly config: CtyValue
  readonly sensitivePaths: readonly CtyPath[]
}

/**
 * The result of a change. `value` is the object that exists now, null for none. With problems, the
 * change failed. Then `value` is the object that the provider reports after the failure, or the
 * prior object if the report is unreadable.
 */
export interface AppliedChange {
  readonly value: CtyValue
  readonly private: Uint8Array
  readonly identity: CtyValue | undefined
  readonly problems: readonly string[]
}

/**
 * Applies a planned change and checks the response of the provider as Terraform's core does. Errors
 * of the provider are problems of the result, because the object must be recorded all the same.
 * Throws ProviderError only when there is no response.
 */
export async function applyChange(
  session: TerraformSession,
  resource: ResourceType,
  input: ApplyInput,
): Promise<AppliedChange> {
  const { typeName, type } = resource
  const response = await session.client.applyResourceChange({
    typeName,
    priorState: encodeValue(input.prior, type),
    plannedState: encodeValue(input.planned, type),
    config: encodeValue(input.config, type),
    plannedPrivate: input.plannedPrivate,
    plannedIdentity: encodeIdentity(resource, input.plannedIdentity),
    providerMeta: session.pkg.providerMeta,
  })
  const { errors, warnings } = readProblems(response, {
    type,
    formatPath: formatPathOf(resource),
  })
  showWarnings(session, input.urn, warnings)
  const decoded = decodeApplied(session, resource, { input, response })
  const { identity, identityProblems } = decodeIdentity(session, resource, response)
  const problems = [...errors.map(formatProblem), ...decoded.problems, ...identityProblems]
  return {
    value: decoded.value,
    private: response.private,
    identity,
    problems:
      problems.length > 0
        ? problems
        : findApplyProblems(session, resource, { ...decoded, input, response }),
  }
}

interface DecodedState {
  readonly value: CtyValue
  readonly problems: readonly string[]
}

/**
 * Decodes the new state. Unknown parts and values of write-only attributes become null. If the
 * state cannot be decoded, the prior object stays, as in Terraform's core.
 */
function decodeApplied(
  session: TerraformSession,
  resource: ResourceType,
  { input, response }: { readonly input: ApplyInput; readonly response: ApplyResponse },
): DecodedState {
  const { block, type } = resource
  try {
    const value = decodeValue(response.newState, type)
    const flaws = [
      ...unknownPathsOf(value).map(path => ({ message: 'a value is still unknown', path })),
      ...findWriteOnlyPaths(block, value).map(path => ({
        message: 'a write-only attribute has a value',
        path,
      })),
    ]
    return {
      value: removeWriteOnlyValues(block, replaceUnknowns(value)),
      problems: describeFlaws(session, input, flaws),
    }
  } catch (thrown) {
    if (!hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) throw thrown
    const flaw = { message: thrown.message, path: [] }
    return { value: input.prior, problems: describeFlaws(session, input, [flaw]) }
  }
}

/**
 * Decodes the new identity. An invalid identity is a problem in the result instead of an error,
 * because the object may exist and must be recorded.
 */
function decodeIdentity(
  session: TerraformSession,
  resource: ResourceType,
  { newIdentity }: ApplyResponse,
): { readonly identity: CtyValue | undefined; readonly identityProblems: readonly string[] } {
  try {
    return { identity: readIdentityOf(session, resource, newIdentity), identityProblems: [] }
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown
    return { identity: undefined, identityProblems: [thrown.message] }
  }
}

function describeFlaws(
  session: TerraformSession,
  { urn }: ApplyInput,
  flaws: readonly ProviderFlaw[],
): readonly string[] {
  if (flaws.length === 0) return []
  return [describeProviderBug(session.pkg.name, `returned an invalid object of '${urn}'`, flaws)]
}

/** Compares the new state with the plan. Called only for a change without problems so far. */
function findApplyProblems(
  session: TerraformSession,
  { block }: ResourceType,
  {
    value,
    input,
    response,
  }: DecodedState & { readonly input: ApplyInput; readonly response: ApplyResponse },
): readonly string[] {
  if (input.planned.kind === 'null') {
    const flaw = { message: 'the object still exists after its deletion', path: [] }
    return value.kind === 'null' ? [] : describeFlaws(session, input, [flaw])
  }
  if (value.kind === 'null')
    return describeFlaws(session, input, [{ message: 'the object does not exist', path: [] }])
  if (response.isLegacyTypeSystem) return []
  const states = { planned: input.planned, actual: value }
  return describeFlaws(session, input, findInconsistencies(block, states, input.sensitivePaths))
}
