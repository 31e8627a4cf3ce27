import { error } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'

/** An edit of the state of the stack that was chosen. */
export interface ConfirmedEdit {
  /** May be made twice. */
  readonly change: (state: StoredDeployment) => StoredDeployment
  /**
   * Whether a person agrees; `first` is a sentence on what happens before, '' when nothing does.
   */
  readonly confirm: (first: string, stack: string) => Promise<boolean>
  /** The stack, where it is not the chosen one. */
  readonly stack?: StackId
}

/**
 * Edits a state as a short deployment of its own, and closes an interrupted one first. Throws
 * CONFIRMATION_DECLINED, STACK_BUSY, and what the change throws; the state stays as it is then.
 */
export async function editConfirmedState(session: CliSession, edit: ConfirmedEdit): Promise<void> {
  const id = edit.stack ?? (await session.requireStack())
  const local = await session.openEngine()
  const standing = await local.readStatus(id)
  const closes = standing.kind === 'interrupted' || standing.kind === 'ending'
  const first = closes
    ? `Deployment ${standing.number} was interrupted: it is closed first, and cannot be resumed then. `
    : ''
  if (!(await edit.confirm(first, stackPartsOf(id).stack)))
    throw error('CONFIRMATION_DECLINED', 'nothing was changed')
  if (closes) session.warn(first.trim())
  await local.editState(id, { command: 'state', edit: edit.change })
}

/**
 * Asks for a yes at a terminal, unless `--yes` was given; where nobody can be asked it is taken for
 * given, as in Pulumi: who names a resource and an edit by a script means it.
 */
export async function confirmAtTerminal(
  session: CliSession,
  flags: Flags,
  text: string,
): Promise<boolean> {
  if (flags.is('yes') || !session.interactive) return true
  const answer = await session.io.prompt(`${text} (y/N)`)
  return ['y', 'yes'].includes(answer.trim().toLowerCase())
}

/** What is said before an edit when there is nothing more to say. */
export const editsDirectly = "This command will edit your stack's state directly. Confirm?"

/** The state of the chosen stack, empty when it never ran. */
export async function readCurrentState(
  session: CliSession,
  id: StackId,
): Promise<StoredDeployment | undefined> {
  return (await session.openEngine()).exportState(id)
}

/** Lets a person choose a resource when none was named. Throws CLI_USAGE where nobody is there. */
export async function chooseUrn(session: CliSession, question: string): Promise<string> {
  if (!session.interactive)
    throw error('CLI_USAGE', 'the URN of a resource must be given when nobody can be asked')
  const state = await readCurrentState(session, await session.requireStack())
  const urns = (state?.resources ?? []).map(({ urn }) => urn)
  if (urns.length === 0) throw error('STATE_RESOURCE_UNKNOWN', 'the state has no resources')
  for (const [at, urn] of urns.entries()) session.warn(`${at + 1}  ${urn}`)
  const answer = (await session.io.prompt(`${question} Number:`)).trim()
  const urn = /^\d+$/.test(answer) ? urns[Number(answer) - 1] : undefined
  if (urn === undefined) throw error('CLI_USAGE', `'${answer}' is no number of the list`)
  return urn
}
