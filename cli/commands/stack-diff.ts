import { createError } from '../../shared/errors/error.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatStateDiff } from '../display/state-diff-lines.ts'
import { diffOpenedStates } from '../state/compare-secrets.ts'
import { readNamedState, readVersion } from '../state/read-named-state.ts'

/**
 * `stack diff [from] [to]`: compares two states of a stack by resource and property. Each is a
 * version (`3`), a moment of a deployment (`4:17`), or a time. Without `to`, the second one is the
 * current state. Without both arguments, the first one is the version before the current one.
 * Secrets are hidden.
 */
export const diffStack: Handler = async (session, flags, [from, to]) => {
  const id = await session.requireStack()
  const { platform, exportState } = await session.openEngine()
  const newestVersion = (await platform.catalog.getStack(id))?.version ?? 0
  if (from === undefined && newestVersion === 0)
    throw createError('MOMENT_UNKNOWN', 'the stack has no version yet', {
      hint: 'Run `antichain up` first.',
    })
  const before =
    from === undefined
      ? await readVersion(session, id, newestVersion - 1)
      : await readNamedState(session, id, from)
  const after =
    to === undefined
      ? ((await exportState(id)) ?? emptyDeployment)
      : await readNamedState(session, id, to)
  const diff = await diffOpenedStates(session, before, after)
  const names = { from: from ?? String(newestVersion - 1), to: to ?? 'current' }
  if (flags.isSet('json')) session.print(JSON.stringify({ ...names, ...diff }, null, 2))
  else for (const line of formatStateDiff(diff)) session.print(line)
  return 0
}
