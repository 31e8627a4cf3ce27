import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areReplacesKnown, areTargetsKnown, mayBegin } from './check-targets.ts'
import type { Life } from './life.ts'
import type { Base } from '../deployment/base.ts'
import { createPreviewRunner } from '../generator/preview-runner.ts'
import { runsProgram } from '../../records/log.ts'
import { requireProgram } from './need-program.ts'
import { previewImport } from './import-command.ts'
import { hasPlugins } from './missing-plugins.ts'
import { tellUnmet, unmetOf } from '../generator/planning.ts'
import { isStackAllowed, statesNow } from '../generator/policies.ts'
import { refreshBefore } from '../generator/refresh-plan.ts'
import { scopeOf } from '../generator/scope.ts'
import { previewDepsOf } from './preview-deps.ts'
import { previewDeletes, previewRefresh } from './preview.ts'
import { areAllProtected } from './protected-kept.ts'

/**
 * Tells what a command would do; changes nothing (I11). True when nothing was in the way.
 */
export async function previewCommand(life: Life, base: Base): Promise<boolean> {
  const { request, performing, emitter } = life
  await life.openPlan()
  await life.openPolicies()
  const { command, refresh } = request.options
  requireProgram(life, base)
  if (!runsProgram(request.options) && !(await hasPlugins(life, base))) return false
  if (command === 'import') return previewImport(life, base)
  const which = refreshBefore(base, command === 'refresh' || refresh)
  const scope = scopeOf(request.options.targeting, base)
  if (!mayBegin(life, base, { scope, which })) return false
  const about = { emitter, performing, scope }
  const refreshed = which === undefined ? base : await previewRefresh(base, which, about)
  if (refreshed === undefined) return false
  if (command === 'refresh') return true
  const deps = previewDepsOf(life)
  const ctx = life.contextOf(refreshed, createPreviewRunner(deps, refreshed))
  if (!runsProgram(request.options)) return areAllProtected(ctx) || previewDeletes(ctx, deps)
  if (!areReplacesKnown(ctx)) return false
  const phase = await runProgramPhase(life, ctx)
  if (phase === undefined) return false
  const hasTargets = !phase.part.isClean || areTargetsKnown(ctx)
  const isWhole = phase.part.isClean && (await previewDeletes(ctx, deps)) && hasTargets
  if (phase.part.isClean && !ctx.isDestroying)
    await applyStackOutputs(ctx, phase.generator.stackOutputs(), isWhole)
  const isAllowed =
    isWhole &&
    !life.isAborted() &&
    tellUnmet(ctx, unmetOf(ctx)) &&
    (await isStackAllowed(ctx, statesNow(ctx)))
  // What only policies have against it is no error of its own.
  if (isWhole && !life.isAborted() && (!isAllowed || life.hasFailed()))
    emitter.diagnostic('error', 'preview failed')
  const hasFinished = await phase.part.finish()
  return isAllowed && isWhole && hasFinished && !life.isAborted()
}
