import { isDeepStrictEqual } from 'node:util'
import { DeployError, createError, hasCode, messageOf } from '../../shared/errors/error.ts'
import { isUrn } from '../../shared/names/urn.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import { digestOfResources } from '../../shared/state/edits/apply-edit.ts'
import { refuseForeignResources } from '../../shared/state/edits/import-state.ts'
import { pendingOperationsOf } from '../../shared/state/pending.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { formatStateDiff } from '../display/state-diff-lines.ts'
import { askYesNo, type CliSession, requireConfirmable } from '../session/session.ts'
import { reportFailure } from '../session/report-failure.ts'
import { diffOpenedStates } from '../state/compare-secrets.ts'
import { editConfirmedState } from '../state/edit-state.ts'
import { createEditedFile, type EditedFile, findEditor } from '../state/run-editor.ts'

/**
 * `state edit`: opens the state in an editor, verifies the result, shows the changes, and publishes
 * them after a confirmation. Secrets stay encrypted. After an error nothing is changed. A user
 * in a terminal can edit an invalid state again. A command that ends with an error keeps the file
 * and prints its path.
 */
export const editStateInEditor: Handler = async (session, flags) => {
  const editor = findEditor(flags.text('editor'), session.io.env)
  requireConfirmable(session, flags.isSet('yes'))
  const id = await session.requireStack()
  const engine = await session.openEngine()
  const before = await engine.exportState(id)
  if (before === undefined)
    throw createError('STATE_RESOURCE_UNKNOWN', 'the stack has no state yet', {
      hint: 'Run `antichain up` first, or `antichain stack import`.',
    })
  const { printEnvelope, envelopeOf } = await session.tools.loadState()
  const text = await printEnvelope(await envelopeOf(before))
  const file = createEditedFile(editor, 'state.json', text)
  const after = await editUntilValid(session, file, { before, text })
  if (after === undefined) {
    file.remove()
    session.printToStderr('The state is unchanged.')
    return 0
  }
  try {
    await publish(session, flags, { before, after })
  } catch (thrown) {
    session.printToStderr(`The edited state is kept in ${file.path}`)
    throw thrown
  }
  file.remove()
  session.printToStderr('State edited.')
  return 0
}

/**
 * Opens the editor until the file has a valid state. Returns undefined when the state is unchanged,
 * even if line endings or white space changed. Throws the error of the state when the user does not
 * edit again.
 */
async function editUntilValid(
  session: CliSession,
  file: EditedFile,
  { before, text }: { readonly before: StoredDeployment; readonly text: string },
): Promise<StoredDeployment | undefined> {
  for (;;) {
    try {
      const editedText = file.edit()
      if (editedText === text) return undefined
      const edited = await parseEditedText(session, editedText)
      const unedited = await parseEditedText(session, text)
      if (isDeepStrictEqual(edited, unedited)) return undefined
      return await verifyEditedState(session, before, edited.deployment)
    } catch (thrown) {
      if (await mustEditAgain(session, thrown)) continue
      const fileNotice = file.exists() ? ` The edited state is kept in ${file.path}` : ''
      session.printToStderr(`Nothing was changed.${fileNotice}`)
      throw thrown
    }
  }
}

/** The hint for a file that is no state. The hint of STATE_INVALID concerns exported files. */
const invalidFileHint = 'Correct the file, or save it as it was to change nothing.'

/** Parses an edited state. Throws STATE_INVALID, STATE_TOO_NEW. */
async function parseEditedText(session: CliSession, text: string) {
  const { parseEnvelope } = await session.tools.loadState()
  try {
    return await parseEnvelope(text)
  } catch (thrown) {
    if (!hasCode(thrown, 'STATE_INVALID')) throw thrown
    throw createError('STATE_INVALID', messageOf(thrown), { cause: thrown, hint: invalidFileHint })
  }
}

/** Reports an error of the state, and asks the user whether to edit again. The default is yes. */
async function mustEditAgain(session: CliSession, thrown: unknown): Promise<boolean> {
  if (!(thrown instanceof DeployError) || !session.mayPrompt) return false
  reportFailure(thrown, session.io.stderr, session.verbose)
  const answer = await session.io.prompt('Edit again? (Y/n)')
  return ['', 'y', 'yes'].includes(answer.trim().toLowerCase())
}

/**
 * Verifies an edited state, and returns it. Throws STATE_INVALID, STATE_FOREIGN, STATE_INTEGRITY.
 * Refuses changes of pending operations, because `state pending` changes them.
 * `state pending clear` also checks that the operation can no longer take effect.
 */
async function verifyEditedState(
  session: CliSession,
  before: StoredDeployment,
  after: StoredDeployment | null,
): Promise<StoredDeployment> {
  if (after === null)
    throw createError('STATE_INVALID', 'the edited state has no deployment', {
      hint: invalidFileHint,
    })
  const invalidResource = after.resources?.find(({ urn }) => !isUrn(urn))
  if (invalidResource !== undefined)
    throw createError('STATE_INVALID', `'${invalidResource.urn}' is not a valid URN`, {
      hint: invalidFileHint,
    })
  refuseForeignResources(after, { before, names: stackPartsOf(await session.requireStack()) })
  const fault = verifyIntegrity(after)
  if (fault !== undefined)
    throw createError('STATE_INTEGRITY', `the edited state is invalid: ${fault}`, {
      hint: 'Correct the file; `antichain state repair` repairs a state that was invalid before.',
    })
  const pendingOf = (state: StoredDeployment) => JSON.stringify(pendingOperationsOf(state))
  if (pendingOf(after) !== pendingOf(before))
    throw createError('STATE_INVALID', 'pending operations cannot be edited here', {
      hint: 'Use `antichain state pending import` or `antichain state pending clear`.',
    })
  if (JSON.stringify(after.secrets_providers) !== JSON.stringify(before.secrets_providers))
    throw createError('STATE_INVALID', 'the secrets provider cannot be edited here', {
      hint: 'Use `antichain stack change-secrets-provider`.',
    })
  return after
}

async function publish(
  session: CliSession,
  flags: Flags,
  { before, after }: { readonly before: StoredDeployment; readonly after: StoredDeployment },
): Promise<void> {
  for (const line of formatStateDiff(await diffOpenedStates(session, before, after)))
    session.printToStderr(`  ${line}`)
  const id = await session.requireStack()
  const engine = await session.openEngine()
  const state = await engine.putState(id, after)
  await editConfirmedState(session, {
    stack: id,
    edit: { kind: 'resources', state, expected: digestOfResources(before) },
    confirm: async introduction =>
      flags.isSet('yes') || (await askYesNo(session, `${introduction}Publish this state?`)),
  })
}
