import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { requireProjectStack } from '../operations/operation-request.ts'

/** `deploy`: packs the program of a stack and sends it; webhooks and schedules deploy it. */
export const uploadProgram: Handler = async session => {
  const { remote } = await session.openEngine()
  if (remote === undefined)
    throw error('LOGIN_MISSING', 'programs are uploaded to an API, and nobody is logged in', {
      hint: 'Run `antichain login <address>`; without an API `antichain up` needs no upload.',
    })
  const { project, stack } = await requireProjectStack(session)
  const { archive, bytes } = await remote.upload(stack, project.root)
  await remote.select(stack, archive)
  const kilobytes = Math.ceil(bytes / 1024)
  session.warn(
    `Uploaded the program of '${stackPartsOf(stack).stack}': ${kilobytes} KB, ${archive.slice(0, 12)}`,
  )
  return 0
}
