import { isProviderType } from '../../shared/names/provider-reference.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { runOperation } from '../operations/run-operation.ts'
import type { CliSession } from '../session/session.ts'
import { removeStack } from '../stack/remove-stack.ts'

/**
 * `destroy`: deletes the resources of a stack. With --remove it also removes the stack, unless
 * --target or --exclude-protected is set.
 */
export const destroy: Handler = async (session, flags) => {
  const previewOnly = flags.isSet('previewOnly')
  const exitCode = await runOperation(session, flags, { command: 'destroy', previewOnly })
  if (exitCode !== 0 || previewOnly) return exitCode
  if (flags.isSet('excludeProtected') && !isJsonOutput(flags)) await printKeptCount(session)
  if (!flags.isSet('remove')) return exitCode
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

/**
 * Prints how many resources remain after a destroy with --exclude-protected. Clients of the
 * Automation API read the line. Source: pkg/cmd/pulumi/operations/destroy.go, 3.274.1.
 */
async function printKeptCount(session: CliSession): Promise<void> {
  const engine = await session.openEngine()
  const { resources = [] } = (await engine.exportState(await session.requireStack())) ?? {}
  const keptCount = resources.filter(
    ({ type, protect }) => protect === true && !isProviderType(type),
  ).length
  if (keptCount === 0) return
  const keptText = formatWithNoun(keptCount, 'protected resource')
  session.print(
    `All unprotected resources were destroyed. There are still ${keptText} associated with this stack.`,
  )
}
