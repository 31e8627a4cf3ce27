import type { StackId } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'

/** Says of a stack whose deployment lost its process that what is shown is not its end. */
export async function warnInterrupted(session: CliSession, id: StackId): Promise<void> {
  const { kind, ...standing } = await (await session.openEngine()).readStatus(id)
  if (!('number' in standing) || kind === 'running' || kind === 'none') return
  const ways =
    kind === 'interrupted'
      ? '`antichain resume` goes on with it; `antichain up` closes it and starts a new one.'
      : 'Nothing more of it is started: `antichain up` or `antichain cancel` closes it.'
  session.warn(`Deployment ${standing.number} was interrupted. ${ways}`)
}
