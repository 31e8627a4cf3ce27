import { createError } from '../../shared/errors/error.ts'
import { hasSecure, toStoredConfigValue } from '../../shared/programs/config/config-tree.ts'
import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { openResealer } from '../config/reseal-config.ts'
import type { CliSession } from '../session/session.ts'
import { selectStack } from '../stack/selected-stack.ts'
import { createStack } from '../stack/create-stack.ts'
import { openStackFile, openStackManager } from '../stack/stack-secrets.ts'

/**
 * `stack init`: creates a stack and selects it. With --copy-config-from, its file gets the
 * configuration of another stack, whose secrets must be readable before anything is created. Throws
 * FEATURE_MISSING for teams and remote configuration, which belong to a service.
 */
export const initStack: Handler = async (session, flags, [operand]) => {
  refuseServiceOptions(flags)
  const project = session.requireProject()
  const requestedName = operand ?? flags.text('stack')
  if (requestedName === undefined && !session.mayPrompt)
    throw createError('CLI_USAGE', 'the name of the stack is missing: pass it as an argument')
  const name = requestedName ?? (await session.io.prompt('Name of the stack:')).trim()
  if (name === '') throw createError('CLI_USAGE', 'the name of the stack is empty')
  const id = session.resolveStackId(name)
  if (stackPartsOf(id).project !== project.name)
    throw createError(
      'CLI_USAGE',
      `the stack is not in the project of this folder, '${project.name}'`,
    )
  const copyConfig = await prepareConfigCopy(session, id, flags.text('copyConfigFrom'))
  await createStack(session, id, flags)
  await copyConfig()
  if (flags.isSet('select')) selectStack(session.home, project.file, stackPartsOf(id).stack)
  session.printToStderr(`Created stack '${stackPartsOf(id).stack}'.`)
  return 0
}

/** Throws FEATURE_MISSING for options that only a service has. Empty teams count as none. */
function refuseServiceOptions(flags: Flags): void {
  if (flags.list('teams').some(team => team.trim() !== ''))
    throw createError('FEATURE_MISSING', 'stacks have no teams here, so --teams is not supported', {
      hint: 'Give tokens a role and stacks instead: `antichain token create --for`.',
    })
  if (flags.isSet('remoteConfig'))
    throw createError('FEATURE_MISSING', 'the configuration of a stack is a file, not remote', {
      hint: 'Run `antichain config env init` to move its values to an environment.',
    })
}

/**
 * Returns the function that copies the configuration and the names of the environments of another
 * stack to a new one. Opens the secrets of the other stack immediately. Without `sourceName` the
 * function does nothing. Throws STACK_NOT_FOUND, CONFIG_INVALID and SECRETS_*.
 */
async function prepareConfigCopy(
  session: CliSession,
  id: StackId,
  sourceName: string | undefined,
): Promise<() => Promise<void>> {
  if (sourceName === undefined) return async () => undefined
  const project = session.requireProject()
  const source = await session.requireStack(sourceName)
  const file = openStackFile(session, project, { stack: source })
  const values = [...file.getValues()]
  const environments = file.getEnvironmentNames()
  if (values.some(([, tree]) => hasSecure(tree))) await openStackManager(session, source, file)
  return async () => {
    const newFile = openStackFile(session, project, { stack: id })
    const stacks = { from: { id: source, file }, to: { id, file: newFile } }
    const reseal = await openResealer(session, values, stacks)
    for (const [key, tree] of values) newFile.set(key, toStoredConfigValue(reseal(tree)))
    if (environments.length > 0) newFile.setEnvironmentNames(environments)
    if (values.length > 0 || environments.length > 0) writeStackConfig(newFile)
  }
}
