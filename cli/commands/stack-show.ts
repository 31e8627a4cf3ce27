import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { outputText, stackOutputs } from '../../shared/state/stack-outputs.ts'
import { tableOf } from '../table.ts'
import { warnInterrupted } from '../warn-interrupted.ts'

/** `stack`: what the stack is, what it has, and its outputs. */
export const stackShow: Handler = async (session, flags) => {
  if (flags.is('showName')) {
    session.print(stackPartsOf(session.stackId()).stack)
    return 0
  }
  const id = await session.existingStack()
  const local = await session.local()
  const state = await local.exportState(id)
  const [last] = await local.platform.catalog.history(id, 1)
  const at = last?.endedAt ?? last?.startedAt
  session.print(`Current stack is ${stackPartsOf(id).stack}:`)
  session.print(`    Project: ${stackPartsOf(id).project}`)
  if (at !== undefined) session.print(`    Last updated: ${new Date(at).toISOString()}`)
  const resources = state?.resources ?? []
  session.print(`Current stack resources (${resources.length}):`)
  const rows = resources.map(({ type, urn }) => [type, urn.slice(urn.lastIndexOf('::') + 2)])
  for (const line of tableOf(['TYPE', 'NAME'], rows)) session.print(`    ${line}`)
  const outputs = [...stackOutputs(state, undefined)]
  session.print(`Current stack outputs (${outputs.length}):`)
  for (const [name, value] of outputs) session.print(`    ${name}: ${outputText(value)}`)
  await warnInterrupted(session, id)
  return 0
}
