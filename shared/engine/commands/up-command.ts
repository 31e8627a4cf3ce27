import { afterRefresh } from '../generator/after-refresh.ts'
import type { Decision } from '../../records/log.ts'
import { decodeSnapshot } from '../../state/deployment.ts'
import type { ResourceState } from '../../state/resource.ts'
import { stackType, type Urn } from '../../names/urn.ts'
import type { TrackedState } from '../step.ts'
import { boundOf } from '../deployment/at-once.ts'
import type { Base } from '../deployment/base.ts'
import { followPlan, runPlan } from '../deployment/plan-run.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { countRecorded } from '../generator/count-recorded.ts'
import { planDeletes, unasked } from '../generator/delete-plan.ts'
import { areTargets, deleteScope, startProviders, tellKept } from '../generator/delete-scope.ts'
import { condemnedSteps, leftoverSteps } from '../generator/delete-steps.ts'
import { planDeletes as admitDeletes, tellUnmet, unmetOf } from '../generator/planning.ts'
import { isStackAllowed, statesNow } from '../generator/policies.ts'
import { destroySteps } from '../generator/destroying.ts'
import { unwrittenPositions } from '../generator/positions.ts'
import type { Replay } from '../generator/replay.ts'
import { leftovers } from '../generator/replayed.ts'
import { stateGraph } from '../graph/dependencies.ts'
import { areReplacesKnown, areTargetsKnown } from './check-targets.ts'
import { contextOf } from './command-context.ts'
import type { CommandDeps } from './command-deps.ts'
import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areAllProtected } from './protected-kept.ts'
import { refreshRest } from './refresh-rest.ts'
import { serveHooks } from './serve-hooks.ts'
import { recordedPlan } from './recorded-plan.ts'
import { releaseOf, tellWaves } from './tell-waves.ts'

/**
 * Runs the program against a base, deletes what nobody wants any more, applies the stack's outputs.
 * What earlier lives recorded is restored first and carried on.
 */
export async function runUp(deps: CommandDeps, base: Base): Promise<boolean> {
  const { life, writer, recorded } = deps
  const { ctx, replay } = contextOf(deps, base)
  if (recorded?.programEnded !== undefined) return afterProgram(deps, ctx, replay)
  if (!areReplacesKnown(ctx)) return false
  if (recorded?.hasPassed('program') !== true)
    await writer.append({ kind: 'phase', phase: 'program' })
  const phase = await runProgramPhase(life, ctx)
  if (phase === undefined) return false
  const { part, generator } = phase
  const outputs = generator.stackOutputs()
  let isWhole = false
  if (part.isClean) {
    const positions = unwrittenPositions(ctx, deps)
    const refresh = ctx.refreshing === 'only' ? afterRefresh(ctx, deps) : undefined
    const sealed = outputs === undefined ? {} : { outputs: deps.sealing.sealMap(outputs) }
    const ended = { kind: 'program-ended', ...sealed, ...refresh?.ended } as const
    const hasTargets = areTargetsKnown(ctx)
    const settleRest = ctx.refreshing === 'only' ? refreshRest : deleteCondemned
    const isSettled = await settleRest(deps, ctx, unmet => [
      ...positions,
      ...(refresh?.cut ?? []),
      unmet.length === 0 ? ended : { ...ended, unmet },
    ])
    isWhole = isSettled && hasTargets && !life.hasFailed()
  }
  if (life.fault() === undefined) {
    // A stack that is gone has none.
    if (!ctx.isDestroying || !part.isClean) await applyStackOutputs(ctx, outputs, isWhole)
    const positions = part.isClean ? [] : unwrittenPositions(ctx, deps)
    await writer.append(...positions, { kind: 'phase', phase: 'outputs-applied' })
  }
  const isAllowed = await judged(deps, ctx, isWhole, () => Promise.resolve(statesNow(ctx)))
  const hasFinished = await part.finish()
  return isAllowed && hasFinished && !life.isAborted()
}

/** `destroy`: everything in the base is deleted. */
export async function deleteAll(deps: CommandDeps, base: Base): Promise<boolean> {
  const known = recordedPlan(deps, base, 'deletes')
  const isStoppedByFailure = !deps.life.request.options.continueOnError
  if (known !== undefined)
    return (await followPlan(deps, { planned: known, isStoppedByFailure })).isWhole
  const { ctx } = contextOf({ ...deps, recorded: undefined }, base)
  return areAllProtected(ctx) || deleteCondemned(deps, ctx, () => [])
}

/** The program ended in an earlier life: nothing is decided any more. */
async function afterProgram(
  deps: CommandDeps,
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<boolean> {
  const { recorded, writer, before, life } = deps
  const isRefresh = ctx.refreshing === 'only'
  const known = recordedPlan(deps, ctx.base, isRefresh ? 'refresh' : 'deletes')
  const isAsked = known?.some(({ operation: { op, id } }) => op === 'hook' && !before.has(id))
  const served = isAsked === true ? serveHooks(life, ctx) : undefined
  // A program that runs again counts by itself what it came to.
  if (recorded !== undefined && served === undefined) countRecorded({ ...deps, recorded }, ctx.base)
  const isStoppedByFailure = !ctx.continueOnError
  const hasTargets = areTargetsKnown(ctx)
  const areGone =
    known === undefined || (await followPlan(deps, { planned: known, isStoppedByFailure })).isWhole
  const hasFinished = (await served?.finish()) !== false
  const isMet = tellUnmet(ctx, recorded?.programEnded?.unmet ?? [])
  const isWhole = isMet && areGone && hasTargets && hasFinished && !life.hasFailed()
  const kept = async (): Promise<readonly ResourceState[]> => {
    const { resources } = decodeSnapshot(await deps.foldNow(), deps.life.request.secrets)
    return resources.filter(state => !state.delete && !state.external)
  }
  if (deps.life.fault() !== undefined) return isWhole
  if (recorded?.hasPassed('outputs-applied') === true) return judged(deps, ctx, isWhole, kept)
  const stack = await stackState(ctx, replay)
  if (ctx.isDestroying) return isWhole
  if (stack !== undefined) ctx.sets.current.set(stack.state.urn, { ...stack, op: 'same' })
  const outputs = recorded?.programEnded?.outputs
  const given = outputs === undefined ? undefined : deps.sealing.openMap(outputs)
  await applyStackOutputs(ctx, given, isWhole)
  await writer.append({ kind: 'phase', phase: 'outputs-applied' })
  return (await judged(deps, ctx, isWhole, kept)) && !deps.life.isAborted()
}

/** Whether all went well, and the policy packs say so of the stack that came of it. */
async function judged(
  { life }: CommandDeps,
  ctx: GeneratorContext,
  isWhole: boolean,
  states: () => Promise<readonly ResourceState[]>,
): Promise<boolean> {
  if (!isWhole || life.isAborted() || life.hasFailed()) return false
  if (ctx.analyzers.length === 0 || (await isStackAllowed(ctx, await states()))) return true
  ctx.emitter.diagnostic('error', 'update failed')
  return false
}

async function stackState(
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<TrackedState | undefined> {
  const recorded = replay?.urns().find(urn => urn.includes(`::${stackType}::`))
  if (recorded !== undefined) return replay?.stateOf(recorded)
  const { resources } = ctx.base.snapshot
  const index = resources.findIndex(state => state.type === stackType && state.parent === '')
  return index < 0 ? undefined : ctx.base.tracked(index)
}

/** What the program does not register any more, and what earlier lives made of it. */
function unwanted(
  ctx: GeneratorContext,
  { left, mayGo }: Parameters<typeof destroySteps>[1],
): ReturnType<typeof destroySteps> {
  const { graph, snapshot } = ctx.base
  const condemned = [...condemnedSteps(ctx, mayGo), ...leftoverSteps(ctx, left)]
  if (left.length === 0) return { graph, condemned }
  const states = [...snapshot.resources, ...left.map(({ state }) => state)]
  return { graph: stateGraph(states), condemned }
}

/**
 * Plans and follows the deletes of what nobody wants any more; what `before` makes of the resources
 * of which planned steps did not come is durable with the plan.
 */
async function deleteCondemned(
  deps: CommandDeps,
  ctx: GeneratorContext,
  before: (unmet: readonly Urn[]) => readonly Decision[],
): Promise<boolean> {
  const mayGo = await deleteScope(ctx)
  const left = await leftovers(ctx)
  const { graph, condemned } = ctx.isDestroying
    ? destroySteps(ctx, { left, mayGo })
    : unwanted(ctx, { left, mayGo })
  const steps = condemned.map(({ step }) => step)
  if (!admitDeletes(ctx, steps.toReversed())) return false
  // The program's end is not recorded: another life would take it for the leave to go on.
  if (!areTargets(ctx, steps)) {
    await startProviders(ctx, steps)
    return false
  }
  tellKept(ctx, mayGo)
  const unmet = unmetOf(ctx)
  const decisions = before(unmet)
  if (condemned.length === 0) {
    if (decisions.length > 0) await deps.writer.append(...decisions)
    return tellUnmet(ctx, unmet)
  }
  await startProviders(ctx, unasked(graph, condemned))
  const release = releaseOf(deps.life)
  tellWaves(ctx.emitter, { graph, condemned, release })
  const waiting =
    release === 'dataflow'
      ? 'for dependents'
      : ctx.continueOnError
        ? 'for waves to end'
        : 'for whole waves'
  const plan = {
    planned: planDeletes(graph, condemned, { ...deps, ...boundOf(deps.pin), waiting }),
    isStoppedByFailure: !ctx.continueOnError,
  }
  const { isWhole } = await runPlan(deps, 'deletes', plan, decisions)
  return tellUnmet(ctx, unmet) && isWhole
}
