import { nameOf, type Urn } from '../../shared/names/urn.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { StoredResource } from '../../shared/state/stored.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { readCurrentBackend } from '../backends/current-backend.ts'
import { formatTable } from '../display/table.ts'
import { readLogin } from '../remote/saved-login.ts'
import { type CliSession, createStackNotFoundError } from '../session/session.ts'
import { describeStack } from '../stack/describe-stack.ts'
import { readStackOutputsForDisplay } from '../stack/open-decrypter.ts'
import { readStackTags } from '../stack/stack-tags.ts'
import { warnInterrupted } from '../stack/warn-interrupted.ts'
import { formatOutputList } from './stack-output.ts'

/** `stack`: shows the stack, its resources and its outputs. Secrets are shown only on request. */
export const showStack: Handler = async (session, flags) => {
  if (flags.isSet('showName')) {
    session.print(stackPartsOf(session.resolveStackId()).stack)
    return 0
  }
  const id = await session.requireStack()
  const engine = await session.openEngine()
  const state = await engine.exportState(id)
  if (isJsonOutput(flags)) {
    const record = await engine.platform.catalog.getStack(id)
    if (record === undefined) throw createStackNotFoundError(id)
    const parts = {
      record,
      backend: backendNameOf(session),
      state,
      tags: await readStackTags(session, id),
      outputs: await readStackOutputsForDisplay(session, flags, { id, state }),
    }
    session.print(JSON.stringify(describeStack(parts), null, 2))
    await warnInterrupted(session, id)
    return 0
  }
  const [lastRecord] = await engine.platform.catalog.listHistory(id, 1)
  const lastUpdateMs = lastRecord?.endedAt ?? lastRecord?.startedAt
  session.print(`Current stack is ${stackPartsOf(id).stack}:`)
  session.print(`    Project: ${stackPartsOf(id).project}`)
  if (lastUpdateMs !== undefined)
    session.print(`    Last updated: ${new Date(lastUpdateMs).toISOString()}`)
  for (const line of formatResources(state?.resources ?? [], flags)) session.print(line)
  for (const line of formatOutputList(
    await readStackOutputsForDisplay(session, flags, { id, state }),
  ))
    session.print(line)
  await warnInterrupted(session, id)
  return 0
}

/** Returns the address of the API or backend in use, or `local` for the store of this machine. */
function backendNameOf({ home, cwd, io }: CliSession): string {
  const backend = readCurrentBackend({ home, cwd, env: io.env })?.address
  return backend ?? readLogin(home)?.url ?? 'local'
}

/** Formats resources as a table. With --show-urns or --show-ids, each one has further lines. */
function formatResources(resources: readonly StoredResource[], flags: Flags): readonly string[] {
  const rows = resources.map(({ type, urn }) => [type, nameOf(urn as Urn)])
  const [header = '', ...lines] = formatTable(['TYPE', 'NAME'], rows)
  const formatDetails = (resource: StoredResource): readonly string[] => {
    const id = readTextField(resource, 'id')
    return [
      ...(flags.isSet('showUrns') ? [`        URN: ${resource.urn}`] : []),
      ...(flags.isSet('showIds') && id !== '' ? [`        ID: ${id}`] : []),
    ]
  }
  return [
    `Current stack resources (${resources.length}):`,
    `    ${header}`,
    ...resources.flatMap((resource, index) => [
      `    ${lines[index] ?? ''}`,
      ...formatDetails(resource),
    ]),
  ]
}
