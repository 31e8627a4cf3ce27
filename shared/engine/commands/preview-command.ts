import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import type { Life } from './life.ts'
import type { Base } from '../deployment/base.ts'
import { createPreviewRunner } from '../generator/preview-runner.ts'
import { hasPlugins } from './missing-plugins.ts'
import { refreshBefore } from '../generator/refresh-plan.ts'
import { previewDeletes, previewRefresh } from './preview.ts'

/**
 * Tells what a command would do; changes nothing (I11). True when nothing was in the way.
 */
export async function previewCommand(life: Life, base: Base): Promise<boolean> {
  const { request, performing, emitter } = life
  const { command, refresh } = request.options
  if (command !== 'up' && !(await hasPlugins(life, base))) return false
  const which = refreshBefore(base, command === 'refresh' || refresh)
  const refreshed = which === undefined ? base : await previewRefresh(base, which, life)
  if (refreshed === undefined) return false
  if (command === 'refresh') return true
  const ctx = life.contextOf(refreshed, createPreviewRunner(performing, emitter))
  if (command === 'destroy') return previewDeletes(ctx, life)
  const phase = await runProgramPhase(life, ctx)
  if (phase === undefined) return false
  const isWhole = phase.part.isClean && (await previewDeletes(ctx, life))
  if (phase.part.isClean) await applyStackOutputs(ctx, phase.generator.stackOutputs(), isWhole)
  const hasFinished = await phase.part.finish()
  return isWhole && hasFinished && !life.isAborted()
}
