import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatOutput, readStackOutputs } from '../../shared/state/stack-outputs.ts'
import { formatTable } from '../display/table.ts'
import { warnInterrupted } from '../stack/warn-interrupted.ts'

/** `stack`: shows the stack, its resources and its outputs. */
export const showStack: Handler = async (session, flags) => {
  if (flags.isSet('showName')) {
    session.print(stackPartsOf(session.resolveStackId()).stack)
    return 0
  }
  const id = await session.requireStack()
  const engine = await session.openEngine()
  const state = await engine.exportState(id)
  const [lastRecord] = await engine.platform.catalog.listHistory(id, 1)
  const lastUpdateMs = lastRecord?.endedAt ?? lastRecord?.startedAt
  session.print(`Current stack is ${stackPartsOf(id).stack}:`)
  session.print(`    Project: ${stackPartsOf(id).project}`)
  if (lastUpdateMs !== undefined)
    session.print(`    Last updated: ${new Date(lastUpdateMs).toISOString()}`)
  const resources = state?.resources ?? []
  session.print(`Current stack resources (${resources.length}):`)
  const rows = resources.map(({ type, urn }) => [type, urn.slice(urn.lastIndexOf('::') + 2)])
  for (const line of formatTable(['TYPE', 'NAME'], rows)) session.print(`    ${line}`)
  const outputs = [...readStackOutputs(state, undefined)]
  session.print(`Current stack outputs (${outputs.length}):`)
  for (const [name, value] of outputs) session.print(`    ${name}: ${formatOutput(value)}`)
  await warnInterrupted(session, id)
  return 0
}
