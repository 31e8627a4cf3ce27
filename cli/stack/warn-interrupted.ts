import type { StackId } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'

/** Warns if the deployment of a stack was interrupted: the state of the stack is not final then. */
export async function warnInterrupted(session: CliSession, id: StackId): Promise<void> {
  const { kind, ...status } = await (await session.openEngine()).readStatus(id)
  if (!('number' in status) || kind === 'running' || kind === 'none') return
  const advice =
    kind === 'interrupted'
      ? '`antichain resume` continues it; `antichain up` closes it and starts a new one.'
      : 'It starts no more operations: `antichain up` or `antichain cancel` closes it.'
  session.printToStderr(`Deployment ${status.number} was interrupted. ${advice}`)
}
