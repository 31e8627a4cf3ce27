import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { requireProjectStack } from '../operations/operation-request.ts'
import { requireApi } from '../remote/require-api.ts'

/** `deploy`: packs and uploads the program of a stack. Webhooks and schedules deploy it. */
export const uploadProgram: Handler = async session => {
  const { remote } = await requireApi(
    session,
    'uploading a program requires',
    'Run `antichain login <address>`. Without an API, run `antichain up`, which needs no upload.',
  )
  const { project, stack } = await requireProjectStack(session)
  const { archive: archiveHash, sizeBytes } = await remote.upload(stack, project.root)
  await remote.setProgram(stack, archiveHash)
  const kilobytes = Math.ceil(sizeBytes / 1024)
  session.printToStderr(
    `Uploaded the program of '${stackPartsOf(stack).stack}': ${kilobytes} KB, ${archiveHash.slice(0, 12)}`,
  )
  return 0
}
