import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { selectStack } from '../selection.ts'
import { makeStack } from '../stack-creation.ts'

/** `stack init`: makes a stack and selects it. */
export const stackInit: Handler = async (session, flags, [operand]) => {
  const project = session.project()
  const asked = operand ?? flags.text('stack')
  if (asked === undefined && !session.interactive)
    throw error('CLI_USAGE', 'the name of the stack is missing')
  const name = asked ?? (await session.io.ask('Name of the stack:')).trim()
  if (name === '') throw error('CLI_USAGE', 'the name of the stack is missing')
  const id = session.stackId(name)
  if (stackPartsOf(id).project !== project.name)
    throw error('CLI_USAGE', `the project of this folder is '${project.name}'`)
  await makeStack(session, id, flags)
  if (flags.is('select')) selectStack(session.home, project.file, stackPartsOf(id).stack)
  session.warn(`Created stack '${stackPartsOf(id).stack}'.`)
  return 0
}
