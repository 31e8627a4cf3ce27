import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areReplacesKnown, areTargetsKnown, mayBegin } from './check-targets.ts'
import type { CommandRun } from './command-run.ts'
import type { Base } from '../deployment/state/base.ts'
import { unwrap } from '../generator/finish-stage.ts'
import { createPreviewRunner } from '../generator/steps/preview-runner.ts'
import { isReadByProgram, runsProgram } from '../../records/log.ts'
import { requireProgram } from './require-program.ts'
import { previewImport } from './import-command.ts'
import { hasPlugins } from './check-plugins.ts'
import { reportUnmet, findUnmet } from '../generator/checks/check-update-plan.ts'
import { isStackAllowed, listCurrentStates } from '../generator/policies/apply-stack-policies.ts'
import { chooseRefresh } from '../generator/refresh/plan-refresh.ts'
import { scopeOf } from '../generator/targets/scope.ts'
import { previewDepsOf } from './preview-deps.ts'
import { previewDeletes, previewRefresh, previewUnregistered } from './preview.ts'
import { areAllProtected } from './report-excluded-protected.ts'

/**
 * Reports the changes that a command would make; changes nothing (I11). Returns true when nothing
 * prevents them.
 */
export async function previewCommand(run: CommandRun, base: Base): Promise<boolean> {
  const { request, performing, emitter } = run
  await run.openPlan()
  await run.openPolicies()
  const { command, refresh, legacyRefreshDiff } = request.options
  requireProgram(run, base)
  if (!runsProgram(request.options) && !(await hasPlugins(run, base))) return false
  if (command === 'import') return previewImport(run, base)
  const isAll = command === 'refresh' || refresh
  const which = isReadByProgram(request.options) ? undefined : chooseRefresh(base, isAll)
  const scope = scopeOf(request.options.targeting, base)
  if (!mayBegin(run, base, { scope, which })) return false
  const options = { emitter, performing, scope, outputsOnly: legacyRefreshDiff === true }
  const refreshed = which === undefined ? base : await previewRefresh(base, which, options)
  if (refreshed === undefined) return false
  if (command === 'refresh' && which !== undefined) return true
  const deps = previewDepsOf(run)
  const ctx = run.createContext(refreshed, createPreviewRunner(deps, refreshed))
  if (!runsProgram(request.options)) return areAllProtected(ctx) || previewDeletes(ctx, deps)
  if (!areReplacesKnown(ctx)) return false
  const phase = await runProgramPhase(run, ctx)
  if (phase === undefined) return false
  const hasTargets = !phase.part.isClean || areTargetsKnown(ctx)
  const isWhole = phase.part.isClean && (await previewUnregistered(ctx, deps)) && hasTargets
  if (phase.part.isClean && !ctx.input.isDestroying)
    await applyStackOutputs(ctx, phase.generator.readStackOutputs(), isWhole)
  const isAllowed =
    isWhole &&
    !run.isAborted() &&
    reportUnmet(ctx.ports, findUnmet(ctx)) &&
    unwrap(ctx, await isStackAllowed(ctx, listCurrentStates(ctx.input)))
  // A policy violation alone was not reported as an error yet.
  if (isWhole && !run.isAborted() && (!isAllowed || run.hasFailed()))
    emitter.report('error', 'preview failed')
  const hasFinished = await phase.part.finish()
  return isAllowed && isWhole && hasFinished && !run.isAborted()
}
