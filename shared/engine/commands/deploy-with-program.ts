import { planRefreshEnd } from '../generator/refresh/plan-refresh-end.ts'
import type { Decision } from '../../records/log.ts'
import { decodeSnapshot } from '../../state/snapshot-codec.ts'
import type { ResourceState } from '../../state/resource.ts'
import { stackType, type Urn } from '../../names/urn.ts'
import type { TrackedState } from '../step.ts'
import { planLimitOf } from '../deployment/dispatch/parallel-limit.ts'
import type { Base } from '../deployment/state/base.ts'
import { followPlan, runPlan } from '../deployment/dispatch/run-plan.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { unwrap } from '../generator/finish-stage.ts'
import { countRecordedSteps } from '../generator/replay/count-recorded-steps.ts'
import { planDeletes, findStepsWithoutCall } from '../generator/deletion/plan-deletes.ts'
import {
  reportUntargetedDeletes,
  createDeleteScope,
  startProviders,
  emitKeptStates,
} from '../generator/deletion/delete-scope.ts'
import { condemnStates, condemnLeftovers } from '../generator/deletion/condemned-steps.ts'
import {
  checkDeletesAgainstUpdatePlan,
  reportUnmetUpdatePlan,
  findUnmetUrns,
} from '../generator/checks/check-update-plan.ts'
import { isStackAllowed, listCurrentStates } from '../generator/policies/apply-stack-policies.ts'
import { planDestroy } from '../generator/deletion/plan-destroy.ts'
import { rewriteChangedPositions } from '../generator/steps/record-changed-states.ts'
import type { Replay } from '../generator/replay/decision-replay.ts'
import { findLeftovers } from '../generator/replay/replay-registration.ts'
import { createStateGraph } from '../graph/dependencies.ts'
import { areReplacesFound, areTargetsFound } from './check-targets.ts'
import { createCommandContext } from './command-context.ts'
import type { CommandDeps } from './command-deps.ts'
import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { reportExcludedProtected } from './report-excluded-protected.ts'
import { refreshUnregistered } from './refresh-unregistered.ts'
import { serveHooks } from './serve-hooks.ts'
import { readRecordedPlan } from './recorded-plan.ts'
import { releaseModeOf, reportWaves } from './report-waves.ts'

/**
 * Runs the program against a base. Then deletes the condemned resources (or reads the unregistered
 * ones, if the command is `refresh`), and sets the stack's outputs. A later generator run first
 * restores the results of the earlier runs, and continues from there. Returns true when everything
 * succeeded.
 */
export async function deployWithProgram(deps: CommandDeps, base: Base): Promise<boolean> {
  const { run, writer, earlierDecisions } = deps
  const { ctx, replay } = createCommandContext(deps, base)
  if (earlierDecisions?.programEnd !== undefined) return finishAfterProgram(deps, ctx, replay)
  if (!areReplacesFound(ctx)) return false
  if (earlierDecisions?.hasEntered('program') !== true)
    await writer.append({ kind: 'phase', phase: 'program' })
  const phase = await runProgramPhase(run, ctx)
  if (phase === undefined) return false
  const { programResult, generator } = phase
  const outputs = generator.readStackOutputs()
  let hasSucceeded = false
  if (programResult.isClean) {
    const positionRewrites = rewriteChangedPositions(ctx, deps)
    const refreshEnd =
      ctx.input.programRefreshMode === 'only' ? planRefreshEnd(ctx, deps) : undefined
    const outputsField = outputs === undefined ? {} : { outputs: deps.sealing.sealMap(outputs) }
    const programEnd = {
      kind: 'program-ended',
      ...outputsField,
      ...refreshEnd?.programEndFields,
    } as const
    const areTargetsValid = areTargetsFound(ctx)
    const runUnregisteredPlan =
      ctx.input.programRefreshMode === 'only' ? refreshUnregistered : deleteCondemned
    const isPlanComplete = await runUnregisteredPlan(deps, ctx, unmetUrns => [
      ...positionRewrites,
      ...(refreshEnd?.rewrites ?? []),
      unmetUrns.length === 0 ? programEnd : { ...programEnd, unmet: unmetUrns },
    ])
    hasSucceeded = isPlanComplete && areTargetsValid && !run.hasFailed()
  }
  if (run.readAbortError() === undefined) {
    // A destroyed stack has no outputs.
    if (!ctx.input.isProgramDestroy || !programResult.isClean)
      await applyStackOutputs(ctx, outputs, hasSucceeded)
    const positionRewrites = programResult.isClean ? [] : rewriteChangedPositions(ctx, deps)
    await writer.append(...positionRewrites, { kind: 'phase', phase: 'outputs-applied' })
  }
  const isAllowed = await checkStackPolicies(deps, ctx, hasSucceeded, () =>
    Promise.resolve(listCurrentStates(ctx.input)),
  )
  const hasProgramSucceeded = await programResult.finish()
  return isAllowed && hasProgramSucceeded && !run.isAborted()
}

/**
 * Runs a `destroy` without the program: deletes the resources of the base that the scope contains.
 * Returns true when all deletes succeeded.
 */
export async function destroyWithoutProgram(deps: CommandDeps, base: Base): Promise<boolean> {
  const recordedPlan = readRecordedPlan(deps, base, 'deletes')
  const isStoppedByFailure = !deps.run.request.options.continueOnError
  if (recordedPlan !== undefined)
    return (await followPlan(deps, { plannedOperations: recordedPlan, isStoppedByFailure }))
      .isComplete
  const { ctx } = createCommandContext({ ...deps, earlierDecisions: undefined }, base)
  const areAllKept = reportExcludedProtected(ctx)
  return areAllKept || deleteCondemned(deps, ctx, () => [])
}

/**
 * Completes an update, refresh or destroy whose program ended in an earlier generator run. The
 * program's registrations are not decided again.
 */
async function finishAfterProgram(
  deps: CommandDeps,
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<boolean> {
  const { earlierDecisions, writer, earlierEnds, run } = deps
  const isRefresh = ctx.input.programRefreshMode === 'only'
  const recordedPlan = readRecordedPlan(deps, ctx.input.base, isRefresh ? 'refresh' : 'deletes')
  const needsHooks = recordedPlan?.some(
    ({ operation: { op, id } }) => op === 'hook' && !earlierEnds.has(id),
  )
  const hookService = needsHooks === true ? serveHooks(run, ctx) : undefined
  // If the program runs again for its hooks, the answers to its registrations count their steps.
  if (earlierDecisions !== undefined && hookService === undefined)
    countRecordedSteps({ ...deps, earlierDecisions }, ctx.input.base)
  const isStoppedByFailure = !ctx.input.continueOnError
  const areTargetsValid = areTargetsFound(ctx)
  const isPlanComplete =
    recordedPlan === undefined ||
    (await followPlan(deps, { plannedOperations: recordedPlan, isStoppedByFailure })).isComplete
  const hasProgramSucceeded = (await hookService?.finish()) !== false
  const isUpdatePlanMet = reportUnmetUpdatePlan(
    ctx.ports,
    earlierDecisions?.programEnd?.unmet ?? [],
  )
  const hasSucceeded =
    isUpdatePlanMet && isPlanComplete && areTargetsValid && hasProgramSucceeded && !run.hasFailed()
  const readFinalStates = async (): Promise<readonly ResourceState[]> => {
    const { resources } = await decodeSnapshot(await deps.foldLog(), deps.run.request.secrets)
    return resources.filter(state => !state.delete && !state.external)
  }
  if (deps.run.readAbortError() !== undefined) return hasSucceeded
  if (earlierDecisions?.hasEntered('outputs-applied') === true)
    return checkStackPolicies(deps, ctx, hasSucceeded, readFinalStates)
  const stack = await findStackState(ctx, replay)
  if (ctx.input.isProgramDestroy) return hasSucceeded
  if (stack !== undefined)
    ctx.apply({ currentStates: [[stack.state.urn, { ...stack, op: 'same' }]] })
  const outputs = earlierDecisions?.programEnd?.outputs
  const stackOutputs = outputs === undefined ? undefined : deps.sealing.openMap(outputs)
  await applyStackOutputs(ctx, stackOutputs, hasSucceeded)
  await writer.append({ kind: 'phase', phase: 'outputs-applied' })
  return (
    (await checkStackPolicies(deps, ctx, hasSucceeded, readFinalStates)) && !deps.run.isAborted()
  )
}

/**
 * Reports whether everything succeeded and the policy packs accept the resulting stack. A rejection
 * is reported as an error.
 */
async function checkStackPolicies(
  { run }: CommandDeps,
  ctx: GeneratorContext,
  hasSucceeded: boolean,
  readStates: () => Promise<readonly ResourceState[]>,
): Promise<boolean> {
  if (!hasSucceeded || run.isAborted() || run.hasFailed()) return false
  if (ctx.ports.analyzers.length === 0) return true
  if (unwrap(ctx, await isStackAllowed(ctx, await readStates()))) return true
  ctx.ports.emitter.report('error', 'update failed')
  return false
}

/**
 * Returns the state of the stack resource, from the records of earlier runs or from the base.
 * Undefined if neither has one.
 */
async function findStackState(
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<TrackedState | undefined> {
  const recordedUrn = replay?.recordedUrns().find(urn => urn.includes(`::${stackType}::`))
  if (recordedUrn !== undefined) return replay?.readState(recordedUrn)
  const { resources } = ctx.input.base.snapshot
  const index = resources.findIndex(state => state.type === stackType && state.parent === '')
  return index < 0 ? undefined : ctx.input.base.trackedStateAt(index)
}

/**
 * Returns the deletes and the graph that orders them. The deletes are those of unregistered
 * resources, of old copies of replaced resources, and of `leftovers`: resources that only an
 * earlier generator run registered.
 */
function planUnregisteredDeletes(
  ctx: GeneratorContext,
  { leftovers, mayDelete }: Parameters<typeof planDestroy>[1],
): ReturnType<typeof planDestroy> {
  const { graph, snapshot } = ctx.input.base
  const condemned = [...condemnStates(ctx, mayDelete), ...condemnLeftovers(ctx, leftovers)]
  if (leftovers.length === 0) return { graph, condemned }
  const states = [...snapshot.resources, ...leftovers.map(({ state }) => state)]
  return { graph: createStateGraph(states), condemned }
}

/**
 * Plans and follows the deletes of condemned resources. `createDecisions` receives the resources
 * whose steps in the update plan did not occur. Its decisions become durable together with the plan
 * of the deletes. Returns true when all deletes succeeded and the update plan was met.
 */
async function deleteCondemned(
  deps: CommandDeps,
  ctx: GeneratorContext,
  createDecisions: (unmetUrns: readonly Urn[]) => readonly Decision[],
): Promise<boolean> {
  const mayDelete = unwrap(ctx, await createDeleteScope(ctx))
  const leftovers = await findLeftovers(ctx)
  const { graph, condemned } = ctx.input.isProgramDestroy
    ? planDestroy(ctx, { leftovers, mayDelete })
    : planUnregisteredDeletes(ctx, { leftovers, mayDelete })
  const steps = condemned.map(({ step }) => step)
  if (!checkDeletesAgainstUpdatePlan(ctx, steps.toReversed())) return false
  // No end of the program is recorded, so that a later generator run runs the program again.
  if (!reportUntargetedDeletes(ctx, steps)) {
    unwrap(ctx, await startProviders(ctx, steps))
    return false
  }
  emitKeptStates(ctx, mayDelete)
  const unmetUrns = findUnmetUrns(ctx)
  const decisions = createDecisions(unmetUrns)
  if (condemned.length === 0) {
    if (decisions.length > 0) await deps.writer.append(...decisions)
    return reportUnmetUpdatePlan(ctx.ports, unmetUrns)
  }
  unwrap(ctx, await startProviders(ctx, findStepsWithoutCall(graph, condemned)))
  const release = releaseModeOf(deps.run)
  reportWaves(ctx.ports.emitter, { graph, condemned, release })
  const waitMode =
    release === 'dataflow'
      ? 'for dependents'
      : ctx.input.continueOnError
        ? 'for waves to end'
        : 'for whole waves'
  const plan = {
    plannedOperations: planDeletes(graph, condemned, {
      ...deps,
      ...planLimitOf(deps.pin),
      waitMode,
    }),
    isStoppedByFailure: !ctx.input.continueOnError,
  }
  const { isComplete } = await runPlan(deps, 'deletes', plan, decisions)
  return reportUnmetUpdatePlan(ctx.ports, unmetUrns) && isComplete
}
