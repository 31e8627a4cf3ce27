import { isProviderType, unknownText } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { resourceState, type StackFrame } from '../../state/resource.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { PropertyMap } from '../../values/value.ts'
import { type Step, stepOf } from '../step.ts'
import { bail, failRegistration, type GeneratorContext } from './context.ts'
import { claimUrn } from './claim.ts'
import type { CallIdentity } from './goal-identity.ts'
import { deniedMessage, deniedPackage } from './denied.ts'
import type { DefaultProviders } from './provider-resolution.ts'
import { noteEnds } from './note-ends.ts'
import { replayed } from './replayed.ts'
import type { CurrentState } from './sets.ts'
import { requireKnown } from './unknown-dependencies.ts'

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
  asked: ReadRequest,
  defaults: DefaultProviders,
): Promise<CurrentState> {
  const provider = asked.provider === '' ? await defaults.reference(asked.plugin) : asked.provider
  const denied = deniedPackage(provider)
  if (denied !== undefined) throw new Error(deniedMessage(asked.type, asked.type))
  const claim = claimUrn(ctx, { ...asked, aliases: [] })
  if (isProviderType(asked.type)) bail(ctx, 'provider resources may not be read', claim.urn)
  if (asked.id === '' && !asked.idUnknown) bail(ctx, `Expected an ID for ${claim.urn}`, claim.urn)
  const goal = ctx.digestOfCall(readIdentity(asked, provider))
  const known = await replayed(ctx, claim, goal)
  if (known !== undefined) {
    ctx.sets.current.set(claim.urn, known)
    return known
  }
  const next = resourceState({
    urn: claim.urn,
    type: asked.type,
    custom: true,
    external: true,
    id: asked.idUnknown ? unknownText : asked.id,
    aliases: claim.alias === undefined ? [] : [claim.alias],
    inputs: asked.properties,
    parent: asked.parent,
    dependencies: asked.dependencies,
    provider,
    additionalSecretOutputs: asked.additionalSecretOutputs,
    sourcePosition: asked.sourcePosition,
    stackTrace: asked.stackTrace,
  })
  requireKnown(ctx, claim.urn, next)
  const { old, index } = claim
  const steps: Step[] = []
  ctx.sets.operated.add(claim.urn)
  if (
    old !== undefined &&
    index !== undefined &&
    !old.state.external &&
    old.state.id !== asked.id
  ) {
    ctx.sets.replaces.add(claim.urn)
    steps.push(stepOf({ op: 'read-replacement', effect: 'add-mark', old, next }))
    steps.push(stepOf({ op: 'replace', effect: 'none', old, next }))
  } else if (old === undefined) steps.push(stepOf({ op: 'read', effect: 'add', next }))
  else steps.push(stepOf({ op: 'read', effect: 'replace', old, next }))
  const sets = claim.alias === undefined ? {} : { aliased: [[claim.alias, claim.urn] as const] }
  const ends = await ctx.runner.run({ urn: claim.urn, goal, steps, sets })
  noteEnds(ctx.sets, steps, ends)
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
function readIdentity(asked: ReadRequest, provider: string): CallIdentity {
  const { type, name, id, parent, properties } = asked
  return { kind: 'read', words: [type, name, id, parent], args: properties, provider }
}
