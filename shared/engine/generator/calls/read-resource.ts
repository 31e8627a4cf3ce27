import { isProviderType, unknownText } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import {
  createResourceState,
  type ResourceState,
  type StackFrame,
} from '../../../state/resource.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { type Step, stepOf } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { claimUrn, type UrnClaim } from '../registration/claim-urn.ts'
import { decided, failDeployment, failStep, type Result, type StageResult } from '../stage.ts'
import type { CallIdentity } from '../registration/goal-identity.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import type { DefaultProviders } from '../providers/resolve-provider.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'
import { replayRecorded } from '../replay/replay-registration.ts'
import type { CurrentState } from '../sets.ts'
import { requireKnownDependencies } from '../checks/require-known-dependencies.ts'

/** A resource that the program reads by id. `id` '' with `idUnknown`: unknown in a preview. */
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

/** Decides and runs a read. Source: docs/spec/step-generation.md#reads. */
export async function readResource(
  ctx: GeneratorContext,
  request: ReadRequest,
  defaults: DefaultProviders,
): Promise<StageResult<CurrentState>> {
  const { input, ports } = ctx
  const resolved =
    request.provider === ''
      ? await defaults.resolveReference(request.plugin)
      : decided(request.provider)
  if (resolved.kind !== 'decided') return resolved
  const provider = resolved.value
  const denied = deniedPackageOf(provider)
  if (denied !== undefined) throw new Error(describeDenial(request.type, request.type))

  const claimed = finishStage(ctx, claimUrn(input, { ...request, aliases: [] }))
  if (claimed.kind !== 'decided') return claimed
  const claim = claimed.value

  const valid = requireReadable(request, claim.urn)
  if (valid.kind !== 'decided') return valid

  const goal = ports.callDigestOf(readIdentityOf(request, provider))
  const replayed = await replayRecorded(ctx, claim, goal)
  if (replayed.kind !== 'decided') return replayed

  const next = createReadState(request, claim, provider)
  const known = requireKnownDependencies(input, claim.urn, next)
  if (known.kind !== 'decided') return known

  const steps = finishStage(ctx, decideReadSteps(claim, next, request.id))
  if (steps.kind !== 'decided') return steps
  return runRead(ctx, { claim, goal, steps: steps.value })
}

function requireReadable({ type, id, idUnknown }: ReadRequest, urn: Urn): Result<void> {
  if (isProviderType(type)) return failDeployment('provider resources may not be read', urn)
  if (id === '' && !idUnknown) return failDeployment(`Expected an ID for ${urn}`, urn)
  return decided(undefined)
}

function createReadState(request: ReadRequest, claim: UrnClaim, provider: string): ResourceState {
  return createResourceState({
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
}

/** A managed resource that is read under another id is replaced by the read. */
function decideReadSteps(
  { urn, old, index }: UrnClaim,
  next: ResourceState,
  id: string,
): Result<readonly Step[]> {
  const operated = { operated: [urn] }
  if (old === undefined) return decided([stepOf({ op: 'read', effect: 'add', next })], operated)
  if (index === undefined || old.state.external || old.state.id === id)
    return decided([stepOf({ op: 'read', effect: 'replace', old, next })], operated)
  const steps = [
    stepOf({ op: 'read-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
  return decided(steps, { ...operated, replaced: [urn] })
}

async function runRead(
  ctx: GeneratorContext,
  read: { readonly claim: UrnClaim; readonly goal: string; readonly steps: readonly Step[] },
): Promise<Result<CurrentState>> {
  const { claim, goal, steps } = read
  const { urn, alias } = claim
  const sets = alias === undefined ? {} : { aliased: [[alias, urn] as const] }
  const ends = await ctx.ports.runner.run({ urn, goal, steps, sets })
  ctx.apply(createStepEndsDelta(steps, ends))
  const made = ends[0]
  if (made?.tracked === undefined || made.end.verdict !== 'succeeded')
    return { ...failStep(ctx.input), delta: { failed: [urn] } }
  const current = { ...made.tracked, op: made.step.op }
  return decided(current, { current: [[urn, current]] })
}

/** The identity of a read: its place in the program is no part of it. */
function readIdentityOf(request: ReadRequest, provider: string): CallIdentity {
  const { type, name, id, parent, properties } = request
  return { kind: 'read', parts: [type, name, id, parent], args: properties, provider }
}
