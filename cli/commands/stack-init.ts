import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { selectStack } from '../stack/selected-stack.ts'
import { createStack } from '../stack/create-stack.ts'

/** `stack init`: creates a stack and selects it. */
export const initStack: Handler = async (session, flags, [operand]) => {
  const project = session.requireProject()
  const requestedName = operand ?? flags.text('stack')
  if (requestedName === undefined && !session.mayPrompt)
    throw error('CLI_USAGE', 'the name of the stack is missing: pass it as an argument')
  const name = requestedName ?? (await session.io.prompt('Name of the stack:')).trim()
  if (name === '') throw error('CLI_USAGE', 'the name of the stack is empty')
  const id = session.resolveStackId(name)
  if (stackPartsOf(id).project !== project.name)
    throw error('CLI_USAGE', `the stack is not in the project of this folder, '${project.name}'`)
  await createStack(session, id, flags)
  if (flags.isSet('select')) selectStack(session.home, project.file, stackPartsOf(id).stack)
  session.printToStderr(`Created stack '${stackPartsOf(id).stack}'.`)
  return 0
}
