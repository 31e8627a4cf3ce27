import { isProviderType, unknownText } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { createResourceState, type StackFrame } from '../../../state/resource.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { type Step, stepOf } from '../../step.ts'
import { bail, failRegistration, type GeneratorContext } from '../context.ts'
import { claimUrn } from '../registration/claim-urn.ts'
import type { CallIdentity } from '../registration/goal-identity.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import type { DefaultProviders } from '../providers/resolve-provider.ts'
import { applyStepEnds } from '../steps/apply-step-ends.ts'
import { replayRecorded } from '../replay/replay-registration.ts'
import type { CurrentState } from '../sets.ts'
import { requireKnownDependencies } from '../checks/require-known-dependencies.ts'

/** A resource that the program names by id without owning it. `id` '' with
 * `idUnknown`: not known yet (preview). */
export interface ReadRequest {
  readonly type: string
  readonly name: string
  readonly id: string
  readonly idUnknown: boolean
  readonly parent: Urn | ''
  readonly properties: PropertyMap
  readonly dependencies: readonly Urn[]
  readonly provider: string
  readonly plugin: PackageRequest
  readonly additionalSecretOutputs: readonly string[]
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
}

/** Decides and carries out a read. Source: docs/spec/step-generation.md#reads. */
export async function readResource(
  ctx: GeneratorContext,
  request: ReadRequest,
  defaults: DefaultProviders,
): Promise<CurrentState> {
  const provider =
    request.provider === '' ? await defaults.resolveReference(request.plugin) : request.provider
  const denied = deniedPackageOf(provider)
  if (denied !== undefined) throw new Error(describeDenial(request.type, request.type))
  const claim = claimUrn(ctx, { ...request, aliases: [] })
  if (isProviderType(request.type)) bail(ctx, 'provider resources may not be read', claim.urn)
  if (request.id === '' && !request.idUnknown)
    bail(ctx, `Expected an ID for ${claim.urn}`, claim.urn)
  const goal = ctx.callDigestOf(readIdentityOf(request, provider))
  const replayedState = await replayRecorded(ctx, claim, goal)
  if (replayedState !== undefined) {
    ctx.sets.current.set(claim.urn, replayedState)
    return replayedState
  }
  const next = createResourceState({
    urn: claim.urn,
    type: request.type,
    custom: true,
    external: true,
    id: request.idUnknown ? unknownText : request.id,
    aliases: claim.alias === undefined ? [] : [claim.alias],
    inputs: request.properties,
    parent: request.parent,
    dependencies: request.dependencies,
    provider,
    additionalSecretOutputs: request.additionalSecretOutputs,
    sourcePosition: request.sourcePosition,
    stackTrace: request.stackTrace,
  })
  requireKnownDependencies(ctx, claim.urn, next)
  const { old, index } = claim
  const steps: Step[] = []
  ctx.sets.operated.add(claim.urn)
  if (
    old !== undefined &&
    index !== undefined &&
    !old.state.external &&
    old.state.id !== request.id
  ) {
    ctx.sets.replaces.add(claim.urn)
    steps.push(stepOf({ op: 'read-replacement', effect: 'add-mark', old, next }))
    steps.push(stepOf({ op: 'replace', effect: 'none', old, next }))
  } else if (old === undefined) steps.push(stepOf({ op: 'read', effect: 'add', next }))
  else steps.push(stepOf({ op: 'read', effect: 'replace', old, next }))
  const sets = claim.alias === undefined ? {} : { aliased: [[claim.alias, claim.urn] as const] }
  const ends = await ctx.runner.run({ urn: claim.urn, goal, steps, sets })
  applyStepEnds(ctx.sets, steps, ends)
  const made = ends[0]
  if (made?.tracked === undefined || made.end.verdict !== 'succeeded') {
    ctx.sets.failed.add(claim.urn)
    return failRegistration(ctx)
  }
  const current = { ...made.tracked, op: made.step.op }
  ctx.sets.current.set(claim.urn, current)
  return current
}

/** What tells two reads apart: where in the program they stand does not. */
function readIdentityOf(request: ReadRequest, provider: string): CallIdentity {
  const { type, name, id, parent, properties } = request
  return { kind: 'read', parts: [type, name, id, parent], args: properties, provider }
}
