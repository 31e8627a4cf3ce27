/**
 * commands: what each command does, over the other folders of the engine, all of which it may
 * import.
 *
 * Invariants: a preview and a deployment take the same decisions, carried out by different runners
 * (I11); after an abort nothing more is decided; a later life goes on where the records of the
 * earlier ones end (I10).
 */
import type { BlobHash } from '../../records/ids.ts'
import { readsByProgram, runsProgram } from '../../records/log.ts'
import { boundOf } from '../deployment/at-once.ts'
import { decodeSnapshot, envelopeOf } from '../../state/deployment.ts'
import { followPlan, runPlan } from '../deployment/plan-run.ts'
import { type Base, baseOf } from '../deployment/base.ts'
import { mayBegin } from './check-targets.ts'
import type { CommandDeps } from './command-deps.ts'
import { deployImport } from './import-command.ts'
import { hasPlugins } from './missing-plugins.ts'
import { requireProgram } from './need-program.ts'
import { recordedPlan } from './recorded-plan.ts'
import { deleteAll, runUp } from './up-command.ts'
import { warnOfPending } from './warn-of-pending.ts'
import {
  planRefresh,
  refreshBefore,
  refreshSteps,
  tellUnchanged,
} from '../generator/refresh-plan.ts'
import { scopeOf } from '../generator/scope.ts'

/** Carries a command out, up to its close; true when everything succeeded. */
export async function deployCommand(deps: CommandDeps, base: Base): Promise<boolean> {
  const { life } = deps
  const { command, refresh, legacyRefreshDiff } = life.request.options
  await life.openPlan()
  await life.openPolicies()
  requireProgram(life, base)
  const carryOn = runsProgram(life.request.options) ? runUp : deleteAll
  if (carryOn !== runUp && !(await hasPlugins(life, base))) return false
  if (command === 'import') return deployImport(deps, base)
  // A later epoch was refreshed, or is what a refresh came to.
  const isRead = base.epoch > 1 || readsByProgram(life.request.options)
  const which = isRead ? undefined : refreshBefore(base, command === 'refresh' || refresh)
  const scope = scopeOf(life.request.options.targeting, base)
  if (base.epoch === 1 && !mayBegin(life, base, { scope, which })) return false
  if (which === undefined) {
    if (base.epoch === 1 && deps.recorded === undefined) warnOfPending(deps.emitter, base)
    return carryOn(deps, base)
  }
  const isWhole = await refreshStates(
    deps,
    base,
    refreshSteps(base, which, { scope, outputsOnly: legacyRefreshDiff === true }),
  )
  if (command === 'refresh' || !isWhole || life.isAborted()) return isWhole
  const next = await rebased(deps, base)
  const fresh = { ...deps, recorded: undefined }
  return carryOn(fresh, next)
}

/** Compares states with the cloud; a failed read does not stop the others. */
async function refreshStates(
  deps: CommandDeps,
  base: Base,
  { asked, unchanged }: ReturnType<typeof refreshSteps>,
): Promise<boolean> {
  tellUnchanged(deps.emitter, unchanged)
  const known = recordedPlan(deps, base, 'refresh')
  if (known !== undefined)
    return (await followPlan(deps, { planned: known, isStoppedByFailure: false })).isWhole
  await deps.writer.append({ kind: 'phase', phase: 'refresh' })
  if (asked.length === 0) return true
  const result = await runPlan(deps, 'refresh', {
    planned: planRefresh(asked, { ...deps, ...boundOf(deps.pin) }),
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
