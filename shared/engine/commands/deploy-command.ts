/**
 * commands: the behavior of each command. Imports all other folders of the engine.
 *
 * Invariants: a preview and a deployment make the same decisions, which different runners execute
 * (I11). After an abort no further decisions are made. A later generator run continues where the
 * records of the earlier ones end (I10).
 */
import type { BlobHash } from '../../records/ids.ts'
import { firstEpoch, readsOnRegistration, runsProgram } from '../../records/log.ts'
import { planLimitOf } from '../deployment/dispatch/parallel-limit.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import { decodeSnapshot, envelopeOf } from '../../state/snapshot-codec.ts'
import { followPlan, runPlan } from '../deployment/dispatch/run-plan.ts'
import { type Base, createBase } from '../deployment/state/base.ts'
import { canBeginWithTargets } from './check-targets.ts'
import type { CommandDeps } from './command-deps.ts'
import { deployImport } from './import-command.ts'
import { obtainBasePlugins } from './check-plugins.ts'
import { requireProgramForDeleteHooks } from './require-program.ts'
import { warnOlderPackages } from './warn-older-packages.ts'
import { readRecordedPlan } from './recorded-plan.ts'
import { destroyWithoutProgram, deployWithProgram } from './deploy-with-program.ts'
import {
  planRefresh,
  chooseRefreshSelection,
  createRefreshSteps,
  emitUnchanged,
} from '../generator/refresh/plan-refresh.ts'
import { scopeOf } from '../generator/targets/scope.ts'
import type { StepEmitter } from '../events/step-emitter.ts'

/**
 * Executes a command, except for the close of the deployment. Returns true when everything
 * succeeded.
 */
export async function deployCommand(deps: CommandDeps, base: Base): Promise<boolean> {
  const { run } = deps
  const { command, refresh, legacyRefreshDiff } = run.request.options
  await run.loadUpdatePlan()
  await run.startPolicyPacks()
  requireProgramForDeleteHooks(run, base)
  const applyChanges = runsProgram(run.request.options) ? deployWithProgram : destroyWithoutProgram
  if (applyChanges !== deployWithProgram) {
    if (base.epoch === firstEpoch && deps.earlierDecisions === undefined)
      await warnOlderPackages(run, base.snapshot.resources)
    if (!(await obtainBasePlugins(run, base))) return false
  }
  if (command === 'import') return deployImport(deps, base)
  // The base of a later epoch is already the result of a refresh.
  const skipsRefresh = base.epoch > firstEpoch || readsOnRegistration(run.request.options)
  const refreshSelection = skipsRefresh
    ? undefined
    : chooseRefreshSelection(base, command === 'refresh' || refresh)
  const scope = scopeOf(run.request.options.targeting, base)
  if (base.epoch === firstEpoch && !canBeginWithTargets(run, base, { scope, refreshSelection }))
    return false
  if (refreshSelection === undefined) {
    if (base.epoch === firstEpoch && deps.earlierDecisions === undefined)
      warnPendingOperations(deps.emitter, base)
    return applyChanges(deps, base)
  }
  const hasSucceeded = await refreshStates(
    deps,
    base,
    createRefreshSteps(base, refreshSelection, { scope, outputsOnly: legacyRefreshDiff === true }),
  )
  if (command === 'refresh' || !hasSucceeded || run.isAborted()) return hasSucceeded
  const refreshedBase = await pinRefreshedBase(deps, base)
  // The new epoch has no decisions of an earlier generator run.
  const epochDeps = { ...deps, earlierDecisions: undefined }
  return applyChanges(epochDeps, refreshedBase)
}

/**
 * Refreshes states: compares them with the cloud. The other reads continue after a failed read.
 * Returns true when all reads succeeded.
 */
async function refreshStates(
  deps: CommandDeps,
  base: Base,
  { readableSteps, unchangedSteps }: ReturnType<typeof createRefreshSteps>,
): Promise<boolean> {
  emitUnchanged(deps.emitter, unchangedSteps)
  const recordedPlan = readRecordedPlan(deps, base, 'refresh')
  if (recordedPlan !== undefined)
    return (await followPlan(deps, { plannedOperations: recordedPlan, isStoppedByFailure: false }))
      .isComplete
  await deps.writer.append({ kind: 'phase', phase: 'refresh' })
  if (readableSteps.length === 0) return true
  const result = await runPlan(deps, 'refresh', {
    plannedOperations: planRefresh(readableSteps, { ...deps, ...planLimitOf(deps.pin) }),
    isStoppedByFailure: false,
  })
  return result.isComplete
}

/** Pins the refreshed states as the base of all later decisions: a new epoch. */
async function pinRefreshedBase(deps: CommandDeps, base: Base): Promise<Base> {
  const foldedState = await deps.foldLog()
  const hash: BlobHash = await deps.blobs.put(await printStateBlob(await envelopeOf(foldedState)))
  const epoch = base.epoch + 1
  await deps.writer.append({ ...deps.pin, epoch, base: hash }, { kind: 'phase', phase: 'rebased' })
  const refreshedBase = createBase(
    await decodeSnapshot(foldedState, deps.run.request.secrets),
    epoch,
  )
  deps.onRebase(refreshedBase)
  return refreshedBase
}

/**
 * Warns of the pending operations in the base. Called only if no refresh precedes the command.
 * Source: docs/spec/deployment.md#order-of-execution.
 */
function warnPendingOperations({ report }: Pick<StepEmitter, 'report'>, base: Base): void {
  const pending = base.snapshot.pendingOperations
  if (pending.length === 0) return
  const lines = [
    ...Map.groupBy(
      pending,
      ({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`,
    ),
  ].map(([line, { length }]) => (length === 1 ? line : `${line} (${length} operations)`))
  const message = [
    `Attempting to deploy or update resources with ${pending.length} pending operations from previous deployment.`,
    ...lines,
    'These resources are in an unknown state because a deployment was interrupted while it ' +
      'changed them. Check each resource at its provider, then run `antichain state pending ' +
      'import` if it exists, or `clear` if it does not.',
  ].join('\n')
  report('warning', message)
}
