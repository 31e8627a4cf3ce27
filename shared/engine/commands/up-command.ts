import type { OperationId } from '../../records/ids.ts'
import type { Decision } from '../../records/log.ts'
import { stackType } from '../../names/urn.ts'
import type { TrackedState } from '../step.ts'
import { boundOf } from '../deployment/at-once.ts'
import type { Base } from '../deployment/base.ts'
import { followPlan, runPlan } from '../deployment/plan-run.ts'
import { type GeneratorContext, instanceOf } from '../generator/context.ts'
import { countRecorded } from '../generator/count-recorded.ts'
import { planDeletes } from '../generator/delete-plan.ts'
import { areTargets, deleteScope, tellKept } from '../generator/delete-scope.ts'
import { condemnedSteps, leftoverSteps } from '../generator/delete-steps.ts'
import { createDeploymentRunner } from '../generator/deployment-runner.ts'
import { createReplay } from '../generator/deployment-replay.ts'
import { unwrittenPositions } from '../generator/positions.ts'
import type { Replay } from '../generator/replay.ts'
import { leftovers } from '../generator/replayed.ts'
import { restore } from '../generator/restore.ts'
import { stateGraph } from '../graph/dependencies.ts'
import { areReplacesKnown, areTargetsKnown } from './check-targets.ts'
import type { CommandDeps } from './command-deps.ts'
import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areAllProtected } from './protected-kept.ts'
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
    const sealed = outputs === undefined ? {} : { outputs: deps.sealing.sealMap(outputs) }
    const ended: readonly Decision[] = [...positions, { kind: 'program-ended', ...sealed }]
    const hasTargets = areTargetsKnown(ctx)
    isWhole = (await deleteCondemned(deps, ctx, ended)) && hasTargets
  }
  if (life.fault() === undefined) {
    await applyStackOutputs(ctx, outputs, isWhole)
    const positions = part.isClean ? [] : unwrittenPositions(ctx, deps)
    await writer.append(...positions, { kind: 'phase', phase: 'outputs-applied' })
  }
  const hasFinished = await part.finish()
  return isWhole && hasFinished && !life.isAborted()
}

/** `destroy`: everything in the base is deleted. */
export async function deleteAll(deps: CommandDeps, base: Base): Promise<boolean> {
  const known = recordedPlan(deps, base, 'deletes')
  const isStoppedByFailure = !deps.life.request.options.continueOnError
  if (known !== undefined)
    return (await followPlan(deps, { planned: known, isStoppedByFailure })).isWhole
  const { ctx } = contextOf({ ...deps, recorded: undefined }, base)
  return areAllProtected(ctx) || deleteCondemned(deps, ctx, [])
}

/** The program ended in an earlier life: nothing is decided any more. */
async function afterProgram(
  deps: CommandDeps,
  ctx: GeneratorContext,
  replay: Replay | undefined,
): Promise<boolean> {
  const { recorded, writer } = deps
  if (recorded !== undefined) countRecorded({ ...deps, recorded }, ctx.base)
  const known = recordedPlan(deps, ctx.base, 'deletes')
  const isStoppedByFailure = !ctx.continueOnError
  const hasTargets = areTargetsKnown(ctx)
  const areGone =
    known === undefined || (await followPlan(deps, { planned: known, isStoppedByFailure })).isWhole
  const isWhole = areGone && hasTargets
  if (deps.life.fault() !== undefined || recorded?.hasPassed('outputs-applied') === true)
    return isWhole
  const stack = await stackState(ctx, replay)
  if (stack !== undefined) ctx.sets.current.set(stack.state.urn, { ...stack, op: 'same' })
  const outputs = recorded?.programEnded?.outputs
  const given = outputs === undefined ? undefined : deps.sealing.openMap(outputs)
  await applyStackOutputs(ctx, given, isWhole)
  await writer.append({ kind: 'phase', phase: 'outputs-applied' })
  return isWhole && !deps.life.isAborted()
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

function contextOf(
  deps: CommandDeps,
  base: Base,
): { readonly ctx: GeneratorContext; readonly replay: Replay | undefined } {
  const { recorded, life } = deps
  const given = new Map<string, number>()
  const runner = createDeploymentRunner({
    ...deps,
    isInBase: ref => base.snapshot.extensions[ref] !== undefined,
    nextCall(key) {
      const at = given.get(key) ?? 0
      given.set(key, at + 1)
      return { at, known: recorded?.answer(key, at) }
    },
  })
  const replay = recorded === undefined ? undefined : createReplay({ ...deps, base, recorded })
  const ctx = life.contextOf(base, runner, replay)
  const hasSucceeded = (id: OperationId): boolean =>
    deps.before.get(id)?.head.end?.verdict === 'succeeded'
  if (recorded !== undefined)
    restore(ctx.sets, recorded.decisions, { providers: ctx.providers, hasSucceeded })
  return { ctx, replay }
}

/** Plans and follows the deletes of what nobody wants any more; `before` is durable with the plan. */
async function deleteCondemned(
  deps: CommandDeps,
  ctx: GeneratorContext,
  before: readonly Decision[],
): Promise<boolean> {
  const mayGo = await deleteScope(ctx)
  const left = await leftovers(ctx)
  const condemned = [...condemnedSteps(ctx, mayGo), ...leftoverSteps(ctx, left)]
  const steps = condemned.map(({ step }) => step)
  // The program's end is not recorded: another life would take it for the leave to go on.
  if (!areTargets(ctx, steps)) {
    // Their providers are started all the same, as Pulumi does: one that cannot be is told as well.
    for (const { provider, urn, old } of steps)
      if (old !== undefined && provider !== '') await instanceOf(ctx, old.state, urn)
    return false
  }
  tellKept(ctx, mayGo)
  if (condemned.length === 0) {
    if (before.length > 0) await deps.writer.append(...before)
    return true
  }
  const graph =
    left.length === 0
      ? ctx.base.graph
      : stateGraph([...ctx.base.snapshot.resources, ...left.map(({ state }) => state)])
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
  return (await runPlan(deps, 'deletes', plan, before)).isWhole
}
