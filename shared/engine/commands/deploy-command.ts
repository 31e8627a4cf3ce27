/**
 * commands: what each command does, over the other folders of the engine, all of which it may
 * import.
 *
 * Invariants: a preview and a deployment take the same decisions, carried out by different runners
 * (I11); after an abort nothing more is decided.
 */
import type { BlobHash, OperationId } from '../../records/ids.ts'
import type { DecisionLogPort } from '../../ports/records.ts'
import { decodeSnapshot, envelopeOf } from '../../state/deployment.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { createDeploymentRunner } from '../generator/deployment-runner.ts'
import type { Life } from './life.ts'
import type { Pin } from '../deployment/log-view.ts'
import { type PlanDeps, runPlan } from '../deployment/plan-run.ts'
import { type Base, baseOf } from '../deployment/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { hasPlugins } from './missing-plugins.ts'
import { planDeletes } from '../generator/delete-plan.ts'
import { condemnedSteps } from '../generator/delete-steps.ts'
import {
  planRefresh,
  refreshBefore,
  refreshSteps,
  tellUnchanged,
} from '../generator/refresh-plan.ts'
import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { unwrittenPositions } from '../generator/positions.ts'

/** What a deployment's command has at hand. */
export interface CommandDeps extends PlanDeps {
  readonly life: Life
  readonly log: DecisionLogPort
  readonly nextId: () => OperationId
  readonly pin: Pin
  /** The fold of what the log has since its last pin. */
  readonly foldNow: () => Promise<StoredDeployment>
  /** Tells others of this process which base is pinned now. */
  readonly rebase: (base: Base) => void
}

/** Carries a command out, up to its close; true when everything succeeded. */
export async function deployCommand(deps: CommandDeps, base: Base): Promise<boolean> {
  const { life, writer } = deps
  const { command, refresh } = life.request.options
  if (command !== 'up' && !hasPlugins(life, base)) return false
  let current = base
  const which = refreshBefore(base, command === 'refresh' || refresh)
  if (which !== undefined) {
    const isWhole = await refreshStates(deps, base, which)
    if (command === 'refresh' || !isWhole || life.isAborted()) return isWhole
    current = await rebased(deps, base)
  }
  const ctx = life.contextOf(current, createDeploymentRunner(deps))
  if (command === 'destroy') return deleteCondemned(deps, ctx)
  await writer.append({ kind: 'phase', phase: 'program' })
  const phase = await runProgramPhase(life, ctx)
  if (phase === undefined) return false
  const { part, generator } = phase
  let isWhole = false
  if (part.isClean) {
    await writer.append({ kind: 'phase', phase: 'program-ended' })
    isWhole = await deleteCondemned(deps, ctx)
  }
  if (life.fault() === undefined) {
    await applyStackOutputs(ctx, generator.stackOutputs(), isWhole)
    const positions = unwrittenPositions(ctx, { sealing: deps.sealing, nextId: deps.nextId })
    await writer.append(...positions, { kind: 'phase', phase: 'outputs-applied' })
  }
  const hasFinished = await part.finish()
  return isWhole && hasFinished && !life.isAborted()
}

/** Plans and follows the deletes of what nobody wants any more. */
async function deleteCondemned(deps: CommandDeps, ctx: GeneratorContext): Promise<boolean> {
  const condemned = condemnedSteps(ctx)
  if (condemned.length === 0) return true
  const planned = planDeletes(ctx.base.graph, condemned, deps)
  const isStoppedByFailure = !ctx.continueOnError
  const result = await runPlan(deps, 'deletes', { planned, isStoppedByFailure })
  return result.isWhole
}

/** Compares states with the cloud; a failed read does not stop the others. */
async function refreshStates(
  deps: CommandDeps,
  base: Base,
  which: 'all' | 'required',
): Promise<boolean> {
  await deps.writer.append({ kind: 'phase', phase: 'refresh' })
  const { asked, unchanged } = refreshSteps(base, which)
  tellUnchanged(deps.emitter, unchanged)
  if (asked.length === 0) return true
  const result = await runPlan(deps, 'refresh', {
    planned: planRefresh(asked, deps),
    isStoppedByFailure: false,
  })
  return result.isWhole
}

/** What was refreshed becomes the base of everything that follows: a new epoch, pinned. */
async function rebased(deps: CommandDeps, base: Base): Promise<Base> {
  const folded = await deps.foldNow()
  const hash: BlobHash = await deps.blobs.put(Buffer.from(JSON.stringify(envelopeOf(folded))))
  const epoch = base.epoch + 1
  await deps.writer.append({ ...deps.pin, epoch, base: hash }, { kind: 'phase', phase: 'rebased' })
  const next = baseOf(decodeSnapshot(folded, deps.life.request.secrets), epoch)
  deps.rebase(next)
  return next
}
