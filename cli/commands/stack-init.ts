import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { selectStack } from '../stack/selected-stack.ts'
import { createStack } from '../stack/create-stack.ts'

/** `stack init`: makes a stack and selects it. */
export const initStack: Handler = async (session, flags, [operand]) => {
  const project = session.requireProject()
  const named = operand ?? flags.text('stack')
  if (named === undefined && !session.interactive)
    throw error('CLI_USAGE', 'the name of the stack is missing')
  const name = named ?? (await session.io.prompt('Name of the stack:')).trim()
  if (name === '') throw error('CLI_USAGE', 'the name of the stack is missing')
  const id = session.resolveStackId(name)
  if (stackPartsOf(id).project !== project.name)
    throw error('CLI_USAGE', `the project of this folder is '${project.name}'`)
  await createStack(session, id, flags)
  if (flags.is('select')) selectStack(session.home, project.file, stackPartsOf(id).stack)
  session.warn(`Created stack '${stackPartsOf(id).stack}'.`)
  return 0
}
