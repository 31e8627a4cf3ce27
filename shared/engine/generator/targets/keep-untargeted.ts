import { parseReference, providerUrnOf, referenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies, type Dependency } from '../../graph/closures.ts'
import { emitStep } from '../../events/emit-step.ts'
import { stepOf } from '../../step.ts'
import type { UrnClaim } from '../registration/claim-urn.ts'
import { bail, type GeneratorContext } from '../context.ts'
import { recordScope } from './scope.ts'
import type { CurrentState } from '../sets.ts'
import { requireMadeDependencies } from './require-made-dependencies.ts'

/**
 * Answers a registration that is no target: the old state as it is, after everything that it stands
 * on and that nobody registered; or, where there is none, a resource that is not made, of which
 * nothing is known. Nothing is written: a state that stays is in the base. Source:
 * docs/spec/step-generation.md#untargeted-resources.
 */
export function keepUntargeted(
  ctx: GeneratorContext,
  claim: UrnClaim,
  next: ResourceState,
): CurrentState {
  recordScope(ctx, next, false)
  const { urn, old } = claim
  ctx.sets.operated.add(urn)
  if (old === undefined) return skipCreate(ctx, next)
  requireProvider(ctx, urn, old.state)
  ctx.sets.pulledForward.add(old.state.urn)
  ctx.sets.operated.add(old.state.urn)
  for (const index of listOldDependencies(ctx, urn, old.state)) keepOldState(ctx, index)
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  requireMadeDependencies(ctx, [step])
  emitStep(ctx.emitter, step)
  const current: CurrentState = { ...old, op: 'same', skipReason: 'kept' }
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
  emitStep(ctx.emitter, stepOf({ op: 'same', effect: 'none', old: made, next }))
  const current: CurrentState = { ...made, op: 'same', skipReason: 'not made' }
  ctx.sets.current.set(next.urn, current)
  return current
}

/**
 * Takes along what a resource stands on and the program does not register: its provider, where it
 * names one of the state, and in a deployment with targets its other dependencies.
 */
export function keepUnregisteredDependencies(
  ctx: GeneratorContext,
  next: ResourceState,
  isTargeted: boolean,
): void {
  const roots: number[] = []
  const provider = findOldProvider(ctx, next.provider)
  if (provider !== undefined) roots.push(provider)
  if (isTargeted && ctx.scope.targets.isConstrained)
    for (const { urn } of listDependencies(next)) {
      const index = hasStep(ctx, urn) ? undefined : ctx.base.liveIndexOf(urn)
      if (index !== undefined) roots.push(index)
    }
  for (const index of roots) {
    const state = ctx.base.snapshot.resources[index]
    if (state === undefined || hasStep(ctx, state.urn)) continue
    ctx.sets.pulledForward.add(state.urn)
    ctx.sets.operated.add(state.urn)
    for (const below of listOldDependencies(ctx, undefined, state)) keepOldState(ctx, below)
    keepOldState(ctx, index)
  }
}

/** The old state of a provider that is named by reference and that nobody registered. */
function findOldProvider(ctx: GeneratorContext, reference: string): number | undefined {
  const urn = providerUrnOf(reference)
  if (urn === undefined || hasStep(ctx, urn)) return undefined
  const index = ctx.base.liveIndexOf(urn)
  const isIt =
    index !== undefined && ctx.base.trackedAt(index).state.id === parseReference(reference).id
  return isIt ? index : undefined
}

/**
 * The old states that a state stands on and that have no step yet, each after what it stands on
 * itself; they have one from now on. `asked`: the registration that ends the deployment when one of
 * them is missing; without it what is missing is left out.
 */
function listOldDependencies(
  ctx: GeneratorContext,
  requiredBy: Urn | undefined,
  root: ResourceState,
): readonly number[] {
  const found: number[] = []
  const open = [{ index: -1, dependencies: oldDependenciesOf(ctx, requiredBy, root) }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.dependencies.next()
    if (next.done === true) {
      if (top.index >= 0) found.push(top.index)
      open.pop()
      continue
    }
    const { state } = ctx.base.trackedAt(next.value)
    ctx.sets.pulledForward.add(state.urn)
    ctx.sets.operated.add(state.urn)
    open.push({ index: next.value, dependencies: oldDependenciesOf(ctx, requiredBy, state) })
  }
  return found
}

/** The old states directly below one, without those that have a step by then. */
function* oldDependenciesOf(
  ctx: GeneratorContext,
  requiredBy: Urn | undefined,
  state: ResourceState,
): Generator<number, void> {
  const provider = findOldProvider(ctx, state.provider)
  if (provider !== undefined) yield provider
  for (const dependency of listDependencies(state)) {
    if (hasStep(ctx, dependency.urn)) continue
    const index = ctx.base.liveIndexOf(dependency.urn)
    if (index !== undefined) yield index
    else if (requiredBy !== undefined)
      bail(ctx, describeMissing(dependency, requiredBy), requiredBy)
  }
}

function describeMissing({ kind, urn, key }: Dependency, requiredBy: Urn): string {
  const labels = {
    parent: `parent ${urn} of untargeted resource ${requiredBy}`,
    dependency: `dependency ${urn} of untargeted resource ${requiredBy}`,
    property: `property dependency ${urn} of untargeted resource ${requiredBy}'s property ${key ?? ''}`,
    'deleted with': `deleted with dependency ${urn} of untargeted resource ${requiredBy}`,
    'replace with': `replace with dependency ${urn} of untargeted resource ${requiredBy}`,
  }
  return `${labels[kind]} has no old state`
}

/**
 * Whether something was decided about a URN, or is being decided: also under its new name. What a
 * refresh by the program left unread was registered without a step.
 */
function hasStep({ sets }: GeneratorContext, urn: Urn): boolean {
  if (isUnread(sets.current.get(urn))) return sets.pulledForward.has(urn)
  return (
    sets.registered.has(urn) ||
    sets.pulledForward.has(urn) ||
    sets.deletes.has(urn) ||
    sets.aliased.has(urn)
  )
}

/** Tells that an old state stays as it is, for others stand on it. */
function keepOldState(ctx: GeneratorContext, index: number): void {
  const old = ctx.base.trackedAt(index)
  const step = stepOf({ op: 'same', effect: 'none', old, next: old.state })
  requireMadeDependencies(ctx, [step])
  emitStep(ctx.emitter, step)
  const { urn } = old.state
  const current = ctx.sets.current.get(urn)
  if (current !== undefined && !isUnread(current)) return
  // It comes before what stands on it, not where the program registered it.
  ctx.sets.current.delete(urn)
  ctx.sets.current.set(urn, { ...old, op: 'same', skipReason: 'kept' })
}

/** Whether a refresh by the program answered a registration with what the state has. */
function isUnread(current: CurrentState | undefined): boolean {
  return current?.skipReason === 'as read' && current.refreshedIndex === undefined
}

/** Whether a replacement deletes a state of this old provider first, and needs it for that. */
function isNeededByDelete({ sets, base }: GeneratorContext, provider: string): boolean {
  return [...sets.condemned].some(index => base.trackedAt(index).state.provider === provider)
}

/**
 * An untargeted resource keeps its old provider, which must be among those of this run: otherwise
 * the program moved it to another one, and only a target can move. Ends the deployment.
 */
function requireProvider(ctx: GeneratorContext, urn: Urn, { provider }: ResourceState): void {
  if (provider === '') return
  const reference = parseReference(provider)
  const now = ctx.sets.aliased.get(reference.urn) ?? reference.urn
  if (ctx.sets.pulledForward.has(reference.urn) || ctx.providers.isRegistered(provider)) return
  if (ctx.providers.isRegistered(referenceOf(now, reference.id))) return
  if (isNeededByDelete(ctx, provider)) return
  if (findOldProvider(ctx, provider) === undefined && !ctx.sets.registered.has(now))
    bail(ctx, `could not find provider ${provider} in old state`, urn)
  bail(
    ctx,
    `provider ${provider} for resource ${urn} has not been registered yet, this is due to a ` +
      'change of providers mixed with --target. Change your program back to the original providers',
    urn,
  )
}
