import { requireNoErrors } from './require-no-errors.ts'
import { type PlanAction, decidePlanAction } from '../plan/plan-action.ts'
import { findPlanFlaws } from '../plan/plan-flaws.ts'
import { proposeNew } from '../plan/proposed-new.ts'
import { filterReplacePaths } from '../plan/replace-paths.ts'
import { ignoreAllChanges, ignoreChangesAt } from '../plan/reset-ignored-attributes.ts'
import type { ProviderFlaw } from '../plan/object-shape.ts'
import { findWriteOnlyPaths } from '../plan/write-only.ts'
import type { PlanResponse } from '../client/terraform-client.ts'
import { readAttributePath } from '../values/attribute-path.ts'
import { conformanceErrorsOf } from '../values/conformance.ts'
import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import { readIdentityOf } from './prior-object.ts'
import {
  createRefusal,
  describeProviderBug,
  readResponse,
  requireNoDeferral,
} from './provider-failure.ts'
import { noPrivateData, type ResourceObject } from './resource-object.ts'
import type { ResourceType } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeIdentity, encodeValue } from './wire-values.ts'

/** The changes to plan for one resource. */
export interface ChangeRequest {
  readonly urn: string
  /** The recorded object. Undefined for a new one. */
  readonly prior: ResourceObject | undefined
  /** The configuration, possibly with unknown parts. */
  readonly config: CtyValue
  /** The paths whose changes the program ignores. */
  readonly ignoredPaths?: readonly CtyPath[]
  /** Whether the program ignores all changes. */
  readonly ignoresAll?: boolean
}

/** A checked plan of a provider. */
export interface PlannedChange {
  /** The prior object. Null for a new or tainted one. */
  readonly prior: CtyValue
  readonly planned: CtyValue
  readonly plannedPrivate: Uint8Array
  readonly plannedIdentity: CtyValue | undefined
  readonly replacePaths: readonly CtyPath[]
  readonly action: PlanAction
}

/**
 * Plans a change as Terraform's core does, and checks the response of the provider. Throws
 * ProviderError for errors of the provider, and for an invalid plan. The plan of a provider with
 * the legacy type system may contradict the configuration.
 */
export async function planChange(
  session: TerraformSession,
  resource: ResourceType,
  request: ChangeRequest,
): Promise<PlannedChange> {
  const { typeName, block, type } = resource
  const { urn, prior: recordedObject } = request
  const isTainted = recordedObject?.isTainted === true
  const untaintedObject = isTainted ? undefined : recordedObject
  const prior = untaintedObject?.value ?? nullOf(type)
  const config = applyIgnoredChanges(resource, request, prior)
  const response = await session.client.planResourceChange({
    typeName,
    priorState: encodeValue(prior, type),
    proposedNewState: encodeValue(proposeNew(block, prior, config), type),
    config: encodeValue(config, type),
    priorPrivate: untaintedObject?.private ?? noPrivateData,
    priorIdentity: encodeIdentity(resource, untaintedObject?.identity),
    providerMeta: session.pkg.providerMeta,
  })
  checkDiagnostics(session, resource, { urn, response })
  const fault = `planned an invalid change of '${urn}'`
  const decodedState = readResponse(session.pkg.name, fault, () =>
    decodeValue(response.plannedState, type),
  )
  // A provider with the legacy type system may plan changes of ignored values. As in Terraform's
  // core, these changes are then undone in the plan, too.
  const planned =
    response.isLegacyTypeSystem && untaintedObject !== undefined
      ? applyIgnoredChanges(resource, { ...request, config: decodedState }, prior)
      : decodedState
  const requestedPaths = response.requiresReplace.map(path => readAttributePath(path, type))
  const { paths, flaws } = filterReplacePaths(block, { prior, planned }, requestedPaths)
  requireNoFlaws(session, fault, [
    ...findTypeFlaws(resource, planned),
    ...findWriteOnlyPaths(block, planned).map(path => ({
      message: 'a write-only attribute has a planned value',
      path,
    })),
    ...(response.isLegacyTypeSystem ? [] : findPlanFlaws(block, { prior, config, planned })),
    ...flaws,
  ])
  return {
    prior,
    planned,
    plannedPrivate: response.plannedPrivate,
    plannedIdentity: readIdentityOf(session, resource, response.plannedIdentity),
    replacePaths: paths,
    action: decidePlanAction(block, { prior, planned, replacePaths: paths, isTainted }),
  }
}

function applyIgnoredChanges(
  { block }: ResourceType,
  { config, ignoredPaths = [], ignoresAll = false }: ChangeRequest,
  prior: CtyValue,
): CtyValue {
  if (ignoresAll) return ignoreAllChanges(block, { prior, config })
  return ignoreChangesAt({ prior, config }, ignoredPaths)
}

function findTypeFlaws({ type }: ResourceType, planned: CtyValue): readonly ProviderFlaw[] {
  if (planned.kind === 'null') return []
  return conformanceErrorsOf(planned.type, type).map(message => ({ message, path: [] }))
}

function checkDiagnostics(
  session: TerraformSession,
  resource: ResourceType,
  { urn, response }: { readonly urn: string; readonly response: PlanResponse },
): void {
  requireNoErrors(session, resource, { verb: 'plan the change of', subject: urn, response })
  requireNoDeferral(session.pkg.name, `the change of '${urn}'`, response)
}

function requireNoFlaws(
  session: TerraformSession,
  fault: string,
  flaws: readonly ProviderFlaw[],
): void {
  if (flaws.length > 0) throw createRefusal(describeProviderBug(session.pkg.name, fault, flaws))
}

/**
 * Plans the deletion of an object. A provider without the capability `planDestroy` is not called,
 * and the plan has no identity then, as in Terraform's core. Throws ProviderError.
 */
export async function planDeletion(
  session: TerraformSession,
  resource: ResourceType,
  { urn, prior }: { readonly urn: string; readonly prior: ResourceObject },
): Promise<Pick<PlannedChange, 'plannedPrivate' | 'plannedIdentity'>> {
  if (!session.pkg.schemas.capabilities.planDestroy)
    return { plannedPrivate: prior.private, plannedIdentity: undefined }
  const { typeName, type } = resource
  const absent = encodeValue(nullOf(type), type)
  const response = await session.client.planResourceChange({
    typeName,
    priorState: encodeValue(prior.value, type),
    proposedNewState: absent,
    config: absent,
    priorPrivate: prior.private,
    priorIdentity: encodeIdentity(resource, prior.identity),
    providerMeta: session.pkg.providerMeta,
  })
  checkDiagnostics(session, resource, { urn, response })
  const fault = `planned an invalid deletion of '${urn}'`
  const planned = readResponse(session.pkg.name, fault, () =>
    decodeValue(response.plannedState, type),
  )
  if (planned.kind !== 'null')
    requireNoFlaws(session, fault, [{ message: 'the planned state is not null', path: [] }])
  return {
    plannedPrivate: response.plannedPrivate,
    plannedIdentity: readIdentityOf(session, resource, response.plannedIdentity),
  }
}
