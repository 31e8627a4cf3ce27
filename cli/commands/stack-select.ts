import { error } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { selectStack } from '../selection.ts'
import { notFound, type Session } from '../session.ts'
import { makeStack } from '../stack-creation.ts'

/** `stack select`: chooses the stack that commands work on. */
export const stackSelect: Handler = async (session, flags, [operand]) => {
  const project = session.project()
  const id = session.stackId(operand ?? flags.text('stack') ?? (await askName(session)))
  if (stackPartsOf(id).project !== project.name)
    throw error('CLI_USAGE', `the project of this folder is '${project.name}'`)
  const { platform } = await session.local()
  if ((await platform.catalog.stack(id)) === undefined) {
    if (!flags.is('create')) throw notFound(id)
    await makeStack(session, id, flags)
    session.warn(`Created stack '${stackPartsOf(id).stack}'.`)
  }
  selectStack(session.home, project.file, stackPartsOf(id).stack)
  return 0
}

async function askName(session: Session): Promise<string> {
  if (!session.interactive) throw error('CLI_USAGE', 'the name of the stack is missing')
  const names = await namesOf(session)
  const name = (await session.io.ask(`Which stack? (${names.join(', ')})`)).trim()
  if (name === '') throw error('CLI_USAGE', 'the name of the stack is missing')
  return name
}

async function namesOf(session: Session): Promise<readonly string[]> {
  const { platform } = await session.local()
  const { stacks } = await platform.catalog.stacks(session.project().name)
  return stacks.map((record: { readonly id: StackId }) => stackPartsOf(record.id).stack)
}
