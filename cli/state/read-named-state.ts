import { createMissingVersionError } from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import { createError } from '../../shared/errors/error.ts'
import { parsePointInTime } from '../../shared/records/point-in-time.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { withCurrentNames } from '../../shared/state/edits/roll-back.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Returns the state that `text` names: a version (`3`), a moment of a deployment (`4:17`), or a
 * time. A state from before a rename gets the current name of the stack. Throws CLI_USAGE for any
 * other text, MOMENT_UNKNOWN for a state that does not exist, and RECORDS_REMOVED for a removed
 * one.
 */
export async function readNamedState(
  session: CliSession,
  id: StackId,
  text: string,
): Promise<StoredDeployment> {
  const engine = await session.openEngine()
  if (/^\d{1,15}$/.test(text)) return readVersion(session, id, Number(text))
  const pointInTime = parsePointInTime(text)
  if (pointInTime === undefined)
    throw createError('CLI_USAGE', `'${text}' is neither a version, nor a moment, nor a time`, {
      hint: 'Pass a version such as 3, a moment such as 4:17, or a time such as 2026-01-31T12:00:00Z.',
    })
  return withCurrentNames(
    (await engine.exportStateAt(id, pointInTime)) ?? emptyDeployment,
    stackPartsOf(id),
  )
}

/**
 * Returns the state of a published version. A state from before a rename gets the current name of
 * the stack. Version 0 is the empty state. Throws MOMENT_UNKNOWN, RECORDS_REMOVED.
 */
export async function readVersion(
  session: CliSession,
  id: StackId,
  version: number,
): Promise<StoredDeployment> {
  const { exportState, platform } = await session.openEngine()
  const state = version === 0 ? emptyDeployment : await exportState(id, version)
  if (state !== undefined) return withCurrentNames(state, stackPartsOf(id))
  const newest = (await platform.catalog.getStack(id))?.version ?? 0
  throw createMissingVersionError(version, newest, {
    unknown: 'List the versions with `antichain stack history`.',
    removed:
      'List the versions with `antichain stack history`; `ANTICHAIN_KEEP_VERSIONS` sets how many are kept.',
  })
}
