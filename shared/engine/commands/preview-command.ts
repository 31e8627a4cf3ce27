import { applyStackOutputs, runProgramPhase } from './program-phase.ts'
import { areReplacesFound, areTargetsFound, canBeginWithTargets } from './check-targets.ts'
import type { CommandRun } from './command-run.ts'
import type { Base } from '../deployment/state/base.ts'
import { unwrap } from '../generator/finish-stage.ts'
import { createPreviewRunner } from '../generator/steps/preview-runner.ts'
import { readsOnRegistration, runsProgram } from '../../records/log.ts'
import { requireProgramForDeleteHooks } from './require-program.ts'
import { previewImport } from './import-command.ts'
import { obtainBasePlugins } from './check-plugins.ts'
import { warnOlderPackages } from './warn-older-packages.ts'
import { reportUnmetUpdatePlan, findUnmetUrns } from '../generator/checks/check-update-plan.ts'
import { isStackAllowed, listCurrentStates } from '../generator/policies/apply-stack-policies.ts'
import { chooseRefreshSelection } from '../generator/refresh/plan-refresh.ts'
import { scopeOf } from '../generator/targets/scope.ts'
import { previewDepsOf } from './preview-deps.ts'
import { previewDeletes, previewRefresh, previewUnregistered } from './preview-plans.ts'
import { reportExcludedProtected } from './report-excluded-protected.ts'
import { releaseModeOf } from './report-waves.ts'

/**
 * Emits the changes that a command would make, without making them (I11). Returns true when nothing
 * prevents the changes.
 */
export async function previewCommand(run: CommandRun, base: Base): Promise<boolean> {
  const { request, performDeps, emitter, forecast } = run
  await run.loadUpdatePlan()
  await run.startPolicyPacks()
  const { command, refresh, legacyRefreshDiff } = request.options
  requireProgramForDeleteHooks(run, base)
  if (!runsProgram(request.options)) {
    await warnOlderPackages(run, base.snapshot.resources)
    if (!(await obtainBasePlugins(run, base))) return false
  }
  if (command === 'import') return previewImport(run, base)
  const isRefreshRequested = command === 'refresh' || refresh
  const refreshSelection = readsOnRegistration(request.options)
    ? undefined
    : chooseRefreshSelection(base, isRefreshRequested)
  const scope = scopeOf(request.options.targeting, base)
  if (!canBeginWithTargets(run, base, { scope, refreshSelection })) return false
  const outputsOnly = legacyRefreshDiff === true
  const options = { emitter, performDeps, forecast, scope, outputsOnly }
  const refreshedBase =
    refreshSelection === undefined ? base : await previewRefresh(base, refreshSelection, options)
  if (refreshedBase === undefined) return false
  if (command === 'refresh' && refreshSelection !== undefined) return true
  const deps = previewDepsOf(run)
  const ctx = run.createContext(refreshedBase, createPreviewRunner(deps, refreshedBase))
  if (!runsProgram(request.options)) {
    if (!reportExcludedProtected(ctx)) return previewDeletes(ctx, deps)
    // Nothing is deleted, but the forecast lists the protected resources.
    const { graph } = refreshedBase
    forecast?.addDeletes({ graph, condemned: [], release: releaseModeOf(run) }, true)
    return true
  }
  if (!areReplacesFound(ctx)) return false
  const phase = await runProgramPhase(run, ctx)
  if (phase === undefined) return false
  const areTargetsValid = !phase.programResult.isClean || areTargetsFound(ctx)
  const hasSucceeded =
    phase.programResult.isClean && (await previewUnregistered(ctx, deps)) && areTargetsValid
  if (phase.programResult.isClean && !ctx.input.isProgramDestroy)
    await applyStackOutputs(ctx, phase.generator.readStackOutputs(), hasSucceeded)
  const isAllowed =
    hasSucceeded &&
    !run.isAborted() &&
    reportUnmetUpdatePlan(ctx.ports, findUnmetUrns(ctx)) &&
    unwrap(ctx, await isStackAllowed(ctx, listCurrentStates(ctx.input)))
  // A policy violation was emitted as a policy event, but not yet as an error.
  if (hasSucceeded && !run.isAborted() && (!isAllowed || run.hasFailed()))
    emitter.report('error', 'preview failed')
  const hasProgramSucceeded = await phase.programResult.finish()
  return isAllowed && hasSucceeded && hasProgramSucceeded && !run.isAborted()
}
