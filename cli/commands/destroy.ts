import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { runOperation } from '../operations/run-operation.ts'
import { removeStack } from '../stack/remove-stack.ts'

/**
 * `destroy`: deletes the resources of a stack. With --remove it also removes the stack, unless
 * --target or --exclude-protected is set.
 */
export const destroy: Handler = async (session, flags) => {
  const previewOnly = flags.isSet('previewOnly')
  const exitCode = await runOperation(session, flags, { command: 'destroy', previewOnly })
  if (exitCode !== 0 || previewOnly || !flags.isSet('remove')) return exitCode
  const isPartial = flags.isSet('excludeProtected') || flags.list('target').length > 0
  if (isPartial) {
    session.printToStderr('Kept the stack, because only some of its resources were selected.')
    return exitCode
  }
  const id = await session.requireStack()
  await removeStack(session, id, { force: false, preserveConfig: false })
  session.printToStderr(`Removed stack '${stackPartsOf(id).stack}'.`)
  return 0
}
