import { parseReference, providerUrnOf, referenceOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { OperationId } from '../../records/ids.ts'
import type { ResourceState } from '../../state/resource.ts'
import { allDependencies, type Dependency } from '../graph/closures.ts'
import { tellStep } from '../events/tell-step.ts'
import { stepOf } from '../step.ts'
import type { Claim } from './claim.ts'
import { bail, type GeneratorContext } from './context.ts'
import { noteScope } from './scope.ts'
import type { CurrentState } from './sets.ts'
import { requireMade } from './skipped-creates.ts'

/**
 * Answers a registration that is no target: the old state as it is, after everything that it stands
 * on and that nobody registered; or, where there is none, a resource that is not made, of which
 * nothing is known. Nothing is written: a state that stays is in the base. Source:
 * docs/spec/step-generation.md#untargeted-resources.
 */
export function passOver(ctx: GeneratorContext, claim: Claim, next: ResourceState): CurrentState {
  noteScope(ctx, next, false)
  const { urn, old } = claim
  ctx.sets.operated.add(urn)
  if (old === undefined) return skipCreate(ctx, next)
  requireProvider(ctx, urn, old.state)
  ctx.sets.pulled.add(old.state.urn)
  ctx.sets.operated.add(old.state.urn)
  for (const index of standsOn(ctx, urn, old.state)) pull(ctx, index)
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  requireMade(ctx, [step])
  tellStep(ctx.emitter, step)
  const current: CurrentState = { ...old, op: 'same', passedOver: 'kept' }
  // Under its old name too: that is what the program is told.
  ctx.sets.current.set(old.state.urn, current)
  ctx.sets.current.set(urn, current)
  return current
}

/** Answers for what is not there and is not made: nothing is known of it. */
export function skipCreate(ctx: GeneratorContext, next: ResourceState): CurrentState {
  ctx.sets.skipped.add(next.urn)
  const nowhere = { kind: 'operation' as const, operation: 0 as OperationId }
  const made = { state: next, ref: nowhere }
  tellStep(ctx.emitter, stepOf({ op: 'same', effect: 'none', old: made, next }))
  const current: CurrentState = { ...made, op: 'same', passedOver: 'not made' }
  ctx.sets.current.set(next.urn, current)
  return current
}

/**
 * Takes along what a resource stands on and the program does not register: its provider, where it
 * names one of the state, and in a deployment with targets its other dependencies.
 */
export function pullForward(ctx: GeneratorContext, next: ResourceState, isTargeted: boolean): void {
  const roots: number[] = []
  const provider = oldProvider(ctx, next.provider)
  if (provider !== undefined) roots.push(provider)
  if (isTargeted && ctx.scope.targets.isConstrained)
    for (const { urn } of allDependencies(next)) {
      const index = hasStep(ctx, urn) ? undefined : ctx.base.live(urn)
      if (index !== undefined) roots.push(index)
    }
  for (const index of roots) {
    const state = ctx.base.snapshot.resources[index]
    if (state === undefined || hasStep(ctx, state.urn)) continue
    ctx.sets.pulled.add(state.urn)
    ctx.sets.operated.add(state.urn)
    for (const below of standsOn(ctx, undefined, state)) pull(ctx, below)
    pull(ctx, index)
  }
}

/** The old state of a provider that is named by reference and that nobody registered. */
function oldProvider(ctx: GeneratorContext, reference: string): number | undefined {
  const urn = providerUrnOf(reference)
  if (urn === undefined || hasStep(ctx, urn)) return undefined
  const index = ctx.base.live(urn)
  const isIt =
    index !== undefined && ctx.base.tracked(index).state.id === parseReference(reference).id
  return isIt ? index : undefined
}

/**
 * The old states that a state stands on and that have no step yet, each after what it stands on
 * itself; they have one from now on. `asked`: the registration that ends the deployment when one of
 * them is missing; without it what is missing is left out.
 */
function standsOn(
  ctx: GeneratorContext,
  asked: Urn | undefined,
  root: ResourceState,
): readonly number[] {
  const found: number[] = []
  const open = [{ index: -1, below: below(ctx, asked, root) }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.below.next()
    if (next.done === true) {
      if (top.index >= 0) found.push(top.index)
      open.pop()
      continue
    }
    const { state } = ctx.base.tracked(next.value)
    ctx.sets.pulled.add(state.urn)
    ctx.sets.operated.add(state.urn)
    open.push({ index: next.value, below: below(ctx, asked, state) })
  }
  return found
}

/** The old states directly below one, without those that have a step by then. */
function* below(
  ctx: GeneratorContext,
  asked: Urn | undefined,
  state: ResourceState,
): Generator<number, void> {
  const provider = oldProvider(ctx, state.provider)
  if (provider !== undefined) yield provider
  for (const dependency of allDependencies(state)) {
    if (hasStep(ctx, dependency.urn)) continue
    const index = ctx.base.live(dependency.urn)
    if (index !== undefined) yield index
    else if (asked !== undefined) bail(ctx, missing(dependency, asked), asked)
  }
}

function missing({ kind, urn, key }: Dependency, asked: Urn): string {
  const words = {
    parent: `parent ${urn} of untargeted resource ${asked}`,
    dependency: `dependency ${urn} of untargeted resource ${asked}`,
    property: `property dependency ${urn} of untargeted resource ${asked}'s property ${key ?? ''}`,
    'deleted with': `deleted with dependency ${urn} of untargeted resource ${asked}`,
    'replace with': `replace with dependency ${urn} of untargeted resource ${asked}`,
  }
  return `${words[kind]} has no old state`
}

/**
 * Whether something was decided about a URN, or is being decided: also under its new name. What a
 * refresh by the program left unread was registered without a step.
 */
function hasStep({ sets }: GeneratorContext, urn: Urn): boolean {
  if (isUnread(sets.current.get(urn))) return sets.pulled.has(urn)
  return (
    sets.seen.has(urn) || sets.pulled.has(urn) || sets.deletes.has(urn) || sets.aliased.has(urn)
  )
}

/** Tells that an old state stays as it is, for others stand on it. */
function pull(ctx: GeneratorContext, index: number): void {
  const old = ctx.base.tracked(index)
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  requireMade(ctx, [step])
  tellStep(ctx.emitter, step)
  const { urn } = old.state
  const current = ctx.sets.current.get(urn)
  if (current !== undefined && !isUnread(current)) return
  // It comes before what stands on it, not where the program registered it.
  ctx.sets.current.delete(urn)
  ctx.sets.current.set(urn, { ...old, op: 'same', passedOver: 'kept' })
}

/** Whether a refresh by the program answered a registration with what the state has. */
function isUnread(current: CurrentState | undefined): boolean {
  return current?.passedOver === 'as read' && current.standsFor === undefined
}

/** Whether a replacement deletes a state of this old provider first, and needs it for that. */
function isNeededByDelete({ sets, base }: GeneratorContext, provider: string): boolean {
  return [...sets.condemned].some(index => base.tracked(index).state.provider === provider)
}

/**
 * An untargeted resource keeps its old provider, which must be among those of this run: otherwise
 * the program moved it to another one, and only a target can move. Ends the deployment.
 */
function requireProvider(ctx: GeneratorContext, urn: Urn, { provider }: ResourceState): void {
  if (provider === '') return
  const reference = parseReference(provider)
  const now = ctx.sets.aliased.get(reference.urn) ?? reference.urn
  if (ctx.sets.pulled.has(reference.urn) || ctx.providers.isRegistered(provider)) return
  if (ctx.providers.isRegistered(referenceOf(now, reference.id))) return
  if (isNeededByDelete(ctx, provider)) return
  if (oldProvider(ctx, provider) === undefined && !ctx.sets.seen.has(now))
    bail(ctx, `could not find provider ${provider} in old state`, urn)
  bail(
    ctx,
    `provider ${provider} for resource ${urn} has not been registered yet, this is due to a ` +
      'change of providers mixed with --target. Change your program back to the original providers',
    urn,
  )
}
