import { hasCode } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import { askYesNo, type CliSession } from '../session/session.ts'
import { chooseStackName, listStackNames } from './choose-stack-name.ts'
import { createStack } from './create-stack.ts'
import { selectStack } from './selected-stack.ts'

/** The choice that creates a stack. It is no valid name of a stack. */
const createChoice = '<create a new stack>'

/**
 * Lets the user choose or create a stack after `failure` reported that there is none. Selects a
 * stack that the user chose, and not one that the command line names, as in Pulumi. Throws
 * `failure` again without a terminal, if the user declines, and if `failure` reports anything else.
 * Throws the errors of `createStack`.
 */
export async function offerStack(
  session: CliSession,
  flags: Flags,
  failure: unknown,
): Promise<StackId> {
  if (!session.mayPrompt) throw failure
  if (hasCode(failure, 'STACK_NOT_SELECTED')) return offerChoice(session, flags, failure)
  if (!hasCode(failure, 'STACK_NOT_FOUND')) throw failure
  const id = session.resolveStackId()
  const { project, stack } = stackPartsOf(id)
  if (project !== session.requireProject().name) throw failure
  if (!(await askYesNo(session, `The stack '${stack}' does not exist. Create it?`))) throw failure
  return create(session, id, flags)
}

/** Lets the user choose one of the project's stacks or a new one. */
async function offerChoice(session: CliSession, flags: Flags, failure: unknown): Promise<StackId> {
  const names = await listStackNames(session)
  const choice =
    names.length === 0 ? createChoice : await chooseStackName(session, names, createChoice)
  if (choice === '') throw failure
  const id =
    choice === createChoice
      ? await createNamed(session, flags, failure)
      : await session.requireStack(choice)
  selectStack(session.home, session.requireProject().file, stackPartsOf(id).stack)
  return id
}

async function createNamed(session: CliSession, flags: Flags, failure: unknown): Promise<StackId> {
  const name = (await session.io.prompt('Name of the new stack:')).trim()
  if (name === '') throw failure
  return create(session, session.resolveStackId(name), flags)
}

async function create(session: CliSession, id: StackId, flags: Flags): Promise<StackId> {
  await createStack(session, id, flags)
  session.printToStderr(`Created stack '${stackPartsOf(id).stack}'.`)
  return id
}
