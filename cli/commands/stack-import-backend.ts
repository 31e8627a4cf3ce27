import { createError } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import type { Flags } from '../arguments/flags.ts'
import { findSource } from '../backends/find-source.ts'
import { formatSources, importSource, isNewStack } from '../backends/import-source.ts'
import { readSourceStack, type SourceStack } from '../backends/read-source-stack.ts'
import { writeSourceConfig } from '../backends/write-source-config.ts'
import { type CliSession, confirm } from '../session/session.ts'

/**
 * `stack import --from <backend>[/<project>/<stack>]`: copies one stack of a self-managed backend,
 * or all stacks that this store does not have yet, with their configuration. Without a login, the
 * history is copied too. The backend is not changed. All stacks are read and checked before the
 * first change. Throws STACK_EXISTS for a named stack that this store has already,
 * CONFIRMATION_DECLINED, and the errors of `findSource` and `readSourceStack`.
 */
export async function importFromBackend(session: CliSession, flags: Flags): Promise<number> {
  const address = flags.text('from') ?? ''
  if (flags.text('file') !== undefined)
    throw createError('CLI_USAGE', '--file and --from cannot be used together')
  const force = flags.isSet('force')
  const { backend, stacks, isSingle } = await findSource(session, address)
  const sources: SourceStack[] = []
  for (const id of stacks) {
    const source = await readSourceStack(session, backend, { id, force })
    if (await isNewStack(session, source)) sources.push(source)
    else if (isSingle) throw createExistsError(source.id)
    else session.printToStderr(`Skipped ${source.id}, because it already exists here.`)
  }
  for (const line of formatSources(sources)) session.printToStderr(line)
  if (sources.length === 0) return 0
  const question = { text: `Import ${formatWithNoun(sources.length, 'stack')}?`, answer: 'yes' }
  if (!isSingle && !(await confirm(session, flags.isSet('yes'), question)))
    throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
  for (const source of sources) {
    await importSource(session, source, force)
    const file = writeSourceConfig(session, source)
    if (file !== undefined) session.printToStderr(`Wrote ${file}.`)
  }
  session.printToStderr(`Imported ${formatWithNoun(sources.length, 'stack')} from ${address}.`)
  return 0
}

function createExistsError(id: StackId): Error {
  const { project, stack } = stackPartsOf(id)
  return createError(
    'STACK_EXISTS',
    `the stack '${stack}' of project '${project}' already exists here`,
    {
      hint: 'Remove it with `antichain stack rm`, or import only the state with `stack import --file`.',
    },
  )
}
