import { planRefreshEnd } from '../generator/refresh/plan-refresh-end.ts'
import type { Decision } from '../../records/log.ts'
import { decodeSnapshot } from '../../state/snapshot-codec.ts'
import type { ResourceState } from '../../state/resource.ts'
import { stackType, type Urn } from '../../names/urn.ts'
import type { TrackedState } from '../step.ts'
import { concurrencyLimitOf } from '../deployment/dispatch/concurrency-limit.ts'
import type { Base } from '../deployment/state/base.ts'
import { followPlan, runPlan } from '../deployment/dispatch/run-plan.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { unwrap } from '../generator/finish-stage.ts'
import { countRecorded } from '../generator/replay/count-recorded.ts'
import { planDeletes, findUncalledSteps } from '../generator/deletion/plan-deletes.ts'
import {
  areAllTargeted,
  createDeleteScope,
  startProviders,
  emitKeptStates,
} from '../generator/deletion/delete-scope.ts'
import { findCondemnedSteps, createLeftoverSteps } from '../generator/deletion/condemned-steps.ts'
import {
  checkDeletesAgainstPlan as admitDeletes,
  reportUnmet,
  findUnmet,
} from '../generator/checks/check-update-plan.ts'
import { isStackAllowed, listCurrentStates } from '../generator/policies/apply-stack-policies.ts'
import { planDestroy } from '../generator/deletion/destroy.ts'
import { rewriteMovedPositions } from '../generator/refresh/rewrite-states.ts'
import type { Replay } from '../generator/replay/replay.ts'
import { findLeftovers } from '../generator/replay/replay-registration.ts'
import { createStateGraph } from '../graph/dependencies.ts'
import { areReplacesKnown, areTargetsKnown } from './check-targets.ts'
import { createCommandContext } from './command-context.ts'
import type { CommandDeps } from './command-deps.ts'
import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areAllProtected } from './report-excluded-protected.ts'
import { refreshUnregistered } from './refresh-unregistered.ts'
import { serveHooks } from './serve-hooks.ts'
import { readRecordedPlan } from './recorded-plan.ts'
import { releaseOf, reportWaves } from './report-waves.ts'

/**
 * Runs the program against a base, deletes the resources that are no longer wanted, and sets the
 * stack's outputs. The results of earlier generator runs are restored first, and their work is
 * continued.
 */
export async function runUp(deps: CommandDeps, base: Base): Promise<boolean> {
  const { run, writer, recorded } = deps
  const { ctx, replay } = createCommandContext(deps, base)
  if (recorded?.programEnded !== undefined) return finishAfterProgram(deps, ctx, replay)
  if (!areReplacesKnown(ctx)) return false
  if (recorded?.hasPassed('program') !== true)
    await writer.append({ kind: 'phase', phase: 'program' })
  const phase = await runProgramPhase(run, ctx)
  if (phase === undefined) return false
  const { part, generator } = phase
  const outputs = generator.readStackOutputs()
  let isWhole = false
  if (part.isClean) {
    const positions = rewriteMovedPositions(ctx, deps)
    const refresh = ctx.input.refreshing === 'only' ? planRefreshEnd(ctx, deps) : undefined
    const sealed = outputs === undefined ? {} : { outputs: deps.sealing.sealMap(outputs) }
    const ended = { kind: 'program-ended', ...sealed, ...refresh?.ended } as const
    const hasTargets = areTargetsKnown(ctx)
    const settleRest = ctx.input.refreshing === 'only' ? refreshUnregistered : deleteCondemned
    const isSettled = await settleRest(deps, ctx, unmet => [
      ...positions,
      ...(refresh?.trimmed ?? []),
      unmet.length === 0 ? ended : { ...ended, unmet },
    ])
    isWhole = isSettled && hasTargets && !run.hasFailed()
  }
  if (run.readFault() === undefined) {
    // A destroyed stack has no outputs.
    if (!ctx.input.isDestroying || !part.isClean) await applyStackOutputs(ctx, outputs, isWhole)
    const positions = part.isClean ? [] : rewriteMovedPositions(ctx, deps)
    await writer.append(...positions, { kind: 'phase', phase: 'outputs-applied' })
  }
  const isAllowed = await checkStackPolicies(deps, ctx, isWhole, () =>
    Promise.resolve(listCurrentStates(ctx.input)),
  )
  const hasFinished = await part.finish()
  return isAllowed && hasFinished && !run.isAborted()
}

/** Deletes everything in the base, for `destroy`. */
export async function deleteAll(deps: CommandDeps, base: Base): Promise<boolean> {
  const recorded = readRecordedPlan(deps, base, 'deletes')
  const isStoppedByFailure = !deps.run.request.options.continueOnError
  if (recorded !== undefined)
    return (await followPlan(deps, { planned: recorded, isStoppedByFailure })).isWhole
  const { ctx } = createCommandContext({ ...deps, recorded: undefined }, base)
  return areAllProtected(ctx) || deleteCondemned(deps, ctx, () => [])
}

/**
 * Completes an update whose program ended in an earlier generator run. No further decisions are
 * made.
 */
async function finishAfterProgram(
  deps: CommandDeps,
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<boolean> {
  const { recorded, writer, earlierEnds, run } = deps
  const isRefresh = ctx.input.refreshing === 'only'
  const recordedDeletes = readRecordedPlan(deps, ctx.input.base, isRefresh ? 'refresh' : 'deletes')
  const needsHooks = recordedDeletes?.some(
    ({ operation: { op, id } }) => op === 'hook' && !earlierEnds.has(id),
  )
  const served = needsHooks === true ? serveHooks(run, ctx) : undefined
  // A program that runs again counts its own results.
  if (recorded !== undefined && served === undefined)
    countRecorded({ ...deps, recorded }, ctx.input.base)
  const isStoppedByFailure = !ctx.input.continueOnError
  const hasTargets = areTargetsKnown(ctx)
  const areGone =
    recordedDeletes === undefined ||
    (await followPlan(deps, { planned: recordedDeletes, isStoppedByFailure })).isWhole
  const hasFinished = (await served?.finish()) !== false
  const isMet = reportUnmet(ctx.ports, recorded?.programEnded?.unmet ?? [])
  const isWhole = isMet && areGone && hasTargets && hasFinished && !run.hasFailed()
  const readKeptStates = async (): Promise<readonly ResourceState[]> => {
    const { resources } = decodeSnapshot(await deps.foldLog(), deps.run.request.secrets)
    return resources.filter(state => !state.delete && !state.external)
  }
  if (deps.run.readFault() !== undefined) return isWhole
  if (recorded?.hasPassed('outputs-applied') === true)
    return checkStackPolicies(deps, ctx, isWhole, readKeptStates)
  const stack = await findStackState(ctx, replay)
  if (ctx.input.isDestroying) return isWhole
  if (stack !== undefined) ctx.apply({ current: [[stack.state.urn, { ...stack, op: 'same' }]] })
  const outputs = recorded?.programEnded?.outputs
  const stackOutputs = outputs === undefined ? undefined : deps.sealing.openMap(outputs)
  await applyStackOutputs(ctx, stackOutputs, isWhole)
  await writer.append({ kind: 'phase', phase: 'outputs-applied' })
  return (await checkStackPolicies(deps, ctx, isWhole, readKeptStates)) && !deps.run.isAborted()
}

/** Reports whether everything succeeded and the policy packs accept the resulting stack. */
async function checkStackPolicies(
  { run }: CommandDeps,
  ctx: GeneratorContext,
  isWhole: boolean,
  states: () => Promise<readonly ResourceState[]>,
): Promise<boolean> {
  if (!isWhole || run.isAborted() || run.hasFailed()) return false
  if (ctx.ports.analyzers.length === 0) return true
  if (unwrap(ctx, await isStackAllowed(ctx, await states()))) return true
  ctx.ports.emitter.report('error', 'update failed')
  return false
}

async function findStackState(
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<TrackedState | undefined> {
  const recorded = replay?.recordedUrns().find(urn => urn.includes(`::${stackType}::`))
  if (recorded !== undefined) return replay?.readState(recorded)
  const { resources } = ctx.input.base.snapshot
  const index = resources.findIndex(state => state.type === stackType && state.parent === '')
  return index < 0 ? undefined : ctx.input.base.trackedAt(index)
}

/**
 * Returns the resources to delete: those that the program no longer registers, and leftovers of
 * earlier generator runs.
 */
function findUnwanted(
  ctx: GeneratorContext,
  { leftovers, mayGo }: Parameters<typeof planDestroy>[1],
): ReturnType<typeof planDestroy> {
  const { graph, snapshot } = ctx.input.base
  const condemned = [...findCondemnedSteps(ctx, mayGo), ...createLeftoverSteps(ctx, leftovers)]
  if (leftovers.length === 0) return { graph, condemned }
  const states = [...snapshot.resources, ...leftovers.map(({ state }) => state)]
  return { graph: createStateGraph(states), condemned }
}

/**
 * Plans and follows the deletes of resources that are no longer wanted. `createDecisions` receives
 * the resources whose planned steps did not occur. Its decisions become durable together with the
 * plan.
 */
async function deleteCondemned(
  deps: CommandDeps,
  ctx: GeneratorContext,
  createDecisions: (unmet: readonly Urn[]) => readonly Decision[],
): Promise<boolean> {
  const mayGo = unwrap(ctx, await createDeleteScope(ctx))
  const leftovers = await findLeftovers(ctx)
  const { graph, condemned } = ctx.input.isDestroying
    ? planDestroy(ctx, { leftovers, mayGo })
    : findUnwanted(ctx, { leftovers, mayGo })
  const steps = condemned.map(({ step }) => step)
  if (!admitDeletes(ctx, steps.toReversed())) return false
  // The program's end is not recorded, because another generator run would take it as permission to
  // continue.
  if (!areAllTargeted(ctx, steps)) {
    unwrap(ctx, await startProviders(ctx, steps))
    return false
  }
  emitKeptStates(ctx, mayGo)
  const unmet = findUnmet(ctx)
  const decisions = createDecisions(unmet)
  if (condemned.length === 0) {
    if (decisions.length > 0) await deps.writer.append(...decisions)
    return reportUnmet(ctx.ports, unmet)
  }
  unwrap(ctx, await startProviders(ctx, findUncalledSteps(graph, condemned)))
  const release = releaseOf(deps.run)
  reportWaves(ctx.ports.emitter, { graph, condemned, release })
  const waiting =
    release === 'dataflow'
      ? 'for dependents'
      : ctx.input.continueOnError
        ? 'for waves to end'
        : 'for whole waves'
  const plan = {
    planned: planDeletes(graph, condemned, { ...deps, ...concurrencyLimitOf(deps.pin), waiting }),
    isStoppedByFailure: !ctx.input.continueOnError,
  }
  const { isWhole } = await runPlan(deps, 'deletes', plan, decisions)
  return reportUnmet(ctx.ports, unmet) && isWhole
}
