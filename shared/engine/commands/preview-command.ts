import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areReplacesKnown, areTargetsKnown, mayBegin } from './check-targets.ts'
import type { Life } from './life.ts'
import type { Base } from '../deployment/base.ts'
import { createPreviewRunner } from '../generator/preview-runner.ts'
import { hasPlugins } from './missing-plugins.ts'
import { refreshBefore } from '../generator/refresh-plan.ts'
import { scopeOf } from '../generator/scope.ts'
import { previewDeletes, previewRefresh } from './preview.ts'
import { areAllProtected } from './protected-kept.ts'

/**
 * Tells what a command would do; changes nothing (I11). True when nothing was in the way.
 */
export async function previewCommand(life: Life, base: Base): Promise<boolean> {
  const { request, performing, emitter } = life
  const { command, refresh } = request.options
  if (command !== 'up' && !(await hasPlugins(life, base))) return false
  const which = refreshBefore(base, command === 'refresh' || refresh)
  const scope = scopeOf(request.options.targeting, base)
  if (!mayBegin(life, base, { scope, which })) return false
  const about = { emitter, performing, scope }
  const refreshed = which === undefined ? base : await previewRefresh(base, which, about)
  if (refreshed === undefined) return false
  if (command === 'refresh') return true
  const ctx = life.contextOf(refreshed, createPreviewRunner(performing, emitter))
  if (command === 'destroy') return areAllProtected(ctx) || previewDeletes(ctx, life)
  if (!areReplacesKnown(ctx)) return false
  const phase = await runProgramPhase(life, ctx)
  if (phase === undefined) return false
  const hasTargets = !phase.part.isClean || areTargetsKnown(ctx)
  const isWhole = phase.part.isClean && (await previewDeletes(ctx, life)) && hasTargets
  if (phase.part.isClean) await applyStackOutputs(ctx, phase.generator.stackOutputs(), isWhole)
  const hasFinished = await phase.part.finish()
  return isWhole && hasFinished && !life.isAborted()
}
