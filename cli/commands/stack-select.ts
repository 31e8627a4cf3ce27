import { createError } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { selectStack } from '../stack/selected-stack.ts'
import { createStackNotFoundError, type CliSession } from '../session/session.ts'
import { chooseStackName, listStackNames } from '../stack/choose-stack-name.ts'
import { createStack } from '../stack/create-stack.ts'

/**
 * `stack select`: selects the stack that commands use by default. With --create it creates a
 * missing one.
 */
export const chooseStack: Handler = async (session, flags, [operand]) => {
  const project = session.requireProject()
  const id = session.resolveStackId(operand ?? flags.text('stack') ?? (await promptName(session)))
  if (stackPartsOf(id).project !== project.name)
    throw createError(
      'CLI_USAGE',
      `the stack is not in the project of this folder, '${project.name}'`,
    )
  const { platform } = await session.openEngine()
  if ((await platform.catalog.getStack(id)) === undefined) {
    if (!flags.isSet('create')) throw createStackNotFoundError(id)
    await createStack(session, id, flags)
    session.printToStderr(`Created stack '${stackPartsOf(id).stack}'.`)
  }
  selectStack(session.home, project.file, stackPartsOf(id).stack)
  return 0
}

async function promptName(session: CliSession): Promise<string> {
  if (!session.mayPrompt)
    throw createError('CLI_USAGE', 'the name of the stack is missing: pass it as an argument')
  const name = await chooseStackName(session, await listStackNames(session))
  if (name === '') throw createError('CLI_USAGE', 'the name of the stack is empty')
  return name
}
