import { type RepairResult, repairState } from '../../shared/state/edits/repair.ts'
import type { Handler } from '../arguments/handler.ts'
import { askYesNo, type CliSession, requireConfirmable } from '../session/session.ts'
import { readCurrentState, directEditPrompt, editConfirmedState } from '../state/edit-state.ts'

/** `state repair`: repairs an invalid state. A valid one stays unchanged. */
export const repairStackState: Handler = async (session, flags) => {
  const state = await readCurrentState(session, await session.requireStack())
  const repair = state === undefined ? undefined : repairState(state)
  if (repair === undefined) {
    session.printToStderr('The snapshot is already valid; skipping repair')
    return 0
  }
  reportRepair(session, repair)
  const isConfirmed = flags.isSet('yes')
  requireConfirmable(session, isConfirmed)
  await editConfirmedState(session, {
    confirm: async introduction =>
      isConfirmed || (await askYesNo(session, `${introduction}${directEditPrompt}`)),
    edit: { kind: 'repair' },
  })
  session.printToStderr('State repaired successfully')
  return 0
}

function reportRepair(session: CliSession, { movedCount, prunedResources }: RepairResult): void {
  if (movedCount > 0) session.printToStderr(`${movedCount} resources will be reordered.`)
  for (const { urn, newUrn, removedReferences } of prunedResources) {
    session.printToStderr(urn === newUrn ? `${urn}:` : `${urn} becomes ${newUrn}:`)
    for (const { kind, urn: to, key } of removedReferences) {
      const referenceText = key === undefined ? kind : `${kind} ${key}`
      session.printToStderr(`  - the reference to ${to} will be removed (${referenceText})`)
    }
  }
}
