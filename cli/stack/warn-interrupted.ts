import type { StackId } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'

/** Warns that the deployment of a stack was interrupted, so that its state is not final. */
export async function warnInterrupted(session: CliSession, id: StackId): Promise<void> {
  const { kind, ...standing } = await (await session.openEngine()).readStatus(id)
  if (!('number' in standing) || kind === 'running' || kind === 'none') return
  const ways =
    kind === 'interrupted'
      ? '`antichain resume` continues it; `antichain up` closes it and starts a new one.'
      : 'It starts no more operations: `antichain up` or `antichain cancel` closes it.'
  session.warn(`Deployment ${standing.number} was interrupted. ${ways}`)
}
