import { error } from '../../shared/errors/error.ts'
import { type RepairResult, repairState } from '../../shared/state/edits/repair.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { CliSession } from '../session/session.ts'
import { readCurrentState, editsDirectly, editConfirmedState } from '../state/edit-state.ts'

/** `state repair`: repairs an invalid state. A valid one stays unchanged. */
export const stateRepair: Handler = async (session, flags) => {
  const state = await readCurrentState(session, await session.requireStack())
  const found = state === undefined ? undefined : repairState(state)
  if (found === undefined) {
    session.warn('The snapshot is already valid; skipping repair')
    return 0
  }
  reportRepair(session, found)
  if (!flags.is('yes') && !session.interactive)
    throw error('CLI_USAGE', '--yes must be passed in to proceed in non-interactive mode')
  await editConfirmedState(session, {
    confirm: async first => {
      if (flags.is('yes')) return true
      const answer = await session.io.prompt(`${first}${editsDirectly} (y/N)`)
      return ['y', 'yes'].includes(answer.trim().toLowerCase())
    },
    change: now => repairState(now)?.state ?? now,
  })
  session.warn('State repaired successfully')
  return 0
}

function reportRepair(session: CliSession, { moved, pruned }: RepairResult): void {
  if (moved > 0) session.warn(`${moved} resources will be reordered.`)
  for (const { urn, now, removed } of pruned) {
    session.warn(urn === now ? `${urn}:` : `${urn} becomes ${now}:`)
    for (const { kind, urn: to, key } of removed) {
      const what = key === undefined ? kind : `${kind} ${key}`
      session.warn(`  - the reference to ${to} will be removed (${what})`)
    }
  }
}
