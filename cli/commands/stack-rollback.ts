import { createError, hasCode } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { digestOfResources } from '../../shared/state/edits/apply-edit.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseNumberArgument } from '../arguments/parse-number-argument.ts'
import type { Flags } from '../arguments/flags.ts'
import { formatStateDiff } from '../display/state-diff-lines.ts'
import { askYesNo, type CliSession, requireConfirmable } from '../session/session.ts'
import { diffOpenedStates } from '../state/compare-secrets.ts'
import { editConfirmedState } from '../state/edit-state.ts'
import { readVersion } from '../state/read-named-state.ts'

/**
 * `stack rollback --to <version>`: publishes the content of an earlier version as the next version.
 * No provider is called: the next `up` reconciles the objects with the program.
 */
export const rollBackStack: Handler = async (session, flags) => {
  const text = flags.text('to')
  if (text === undefined)
    throw createError('CLI_USAGE', '--to is required', {
      hint: 'Pass a version, such as --to 3; `antichain stack history` lists them.',
    })
  const hint = 'List the versions with `antichain stack history`.'
  const version = parseNumberArgument(text, '--to takes the number of a version', hint)
  return rollBack(session, flags, { id: await session.requireStack(), version })
}

/**
 * `state undo`: publishes the version before the current one as the next version. A second undo
 * takes back the first one.
 */
export const undoState: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const newestVersion = await readNewestVersion(session, id)
  if (newestVersion < 2)
    throw createError(
      'MOMENT_UNKNOWN',
      `the stack has no version before version ${newestVersion}`,
      {
        hint: 'List the versions with `antichain stack history`.',
      },
    )
  return rollBack(session, flags, { id, version: newestVersion - 1 })
}

async function rollBack(
  session: CliSession,
  flags: Flags,
  { id, version }: { readonly id: StackId; readonly version: number },
): Promise<number> {
  const target = await readVersion(session, id, version)
  const newestVersion = await readNewestVersion(session, id)
  if (version === newestVersion) {
    session.printToStderr(`The current version is ${version} already; nothing was changed.`)
    return 0
  }
  const { stack } = stackPartsOf(id)
  session.printToStderr(
    `The state of '${stack}' becomes that of version ${version}, as a new version. This changes no object; the next \`antichain up\` does.`,
  )
  const currentState = await readUndamagedState(session, id)
  if (currentState !== undefined)
    for (const line of formatStateDiff(await diffOpenedStates(session, currentState, target)))
      session.printToStderr(`  ${line}`)
  const isConfirmed = flags.isSet('yes')
  requireConfirmable(session, isConfirmed)
  const expected = currentState === undefined ? {} : { expected: digestOfResources(currentState) }
  const end = await editConfirmedState(session, {
    stack: id,
    edit: { kind: 'rollback', version, ...expected },
    confirm: async introduction =>
      isConfirmed || (await askYesNo(session, `${introduction}Roll back to version ${version}?`)),
  })
  session.printToStderr(`Version ${end.version} has the state of version ${version}.`)
  return 0
}

async function readNewestVersion(session: CliSession, id: StackId): Promise<number> {
  const { platform } = await session.openEngine()
  return (await platform.catalog.getStack(id))?.version ?? 0
}

/** Returns the current state, or undefined for a damaged one, which a rollback replaces. */
async function readUndamagedState(
  session: CliSession,
  id: StackId,
): Promise<StoredDeployment | undefined> {
  const { exportState } = await session.openEngine()
  try {
    return (await exportState(id)) ?? emptyDeployment
  } catch (thrown) {
    if (!hasCode(thrown, 'STATE_INVALID')) throw thrown
    session.printToStderr('warning: the current state is damaged, so it cannot be compared')
    return undefined
  }
}
