import { countImported, importHistory } from '../../shared/backends/import-history.ts'
import { readHistory } from '../../shared/engine/deployment/retention/history-and-versions.ts'
import { error } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { countOf } from '../display/count-of.ts'
import type { Flags } from '../arguments/flags.ts'
import { findSource } from '../backends/find-source.ts'
import { readSourceStack, type SourceStack } from '../backends/read-source-stack.ts'
import { writeSourceConfig } from '../backends/write-source-config.ts'
import { formatTable } from '../display/table.ts'
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
    throw error('CLI_USAGE', '--file and --from cannot be used together')
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
  const question = { text: `Import ${countOf(sources.length, 'stack')}?`, answer: 'yes' }
  if (!isSingle && !(await confirm(session, flags.isSet('yes'), question)))
    throw error('CONFIRMATION_DECLINED', 'nothing was changed')
  for (const source of sources) await importSource(session, source, force)
  session.printToStderr(`Imported ${countOf(sources.length, 'stack')} from ${address}.`)
  return 0
}

async function importSource(
  session: CliSession,
  source: SourceStack,
  force: boolean,
): Promise<void> {
  const engine = await session.openEngine()
  const { catalog, blobs, clock } = engine.platform
  const { id, state, history } = source
  await catalog.createStack(id, clock.now())
  if (engine.remote === undefined) {
    const records = await readRecords(session, id)
    const imported = countImported(records, history)
    await importHistory({ catalog, blobs }, id, history.slice(imported))
  }
  if (state !== null) {
    const name = await engine.putState(id, state)
    const { notices } = await engine.editState(id, { kind: 'import', state: name, force })
    for (const notice of notices) session.printToStderr(`warning: ${notice}`)
  }
  const file = writeSourceConfig(session, source)
  if (file !== undefined) session.printToStderr(`Wrote ${file}.`)
}

/**
 * Reports whether this store has no deployments of a stack. The entries of an import that was
 * interrupted do not count.
 */
async function isNewStack(session: CliSession, { id, history }: SourceStack): Promise<boolean> {
  const records = await readRecords(session, id)
  return countImported(records, history) >= records.length
}

function createExistsError(id: StackId): Error {
  const { project, stack } = stackPartsOf(id)
  return error('STACK_EXISTS', `the stack '${stack}' of project '${project}' already exists here`, {
    hint: 'Remove it with `antichain stack rm`, or import only the state with `stack import --file`.',
  })
}

async function readRecords(session: CliSession, id: StackId): Promise<readonly HistoryRecord[]> {
  const { platform } = await session.openEngine()
  if ((await platform.catalog.getStack(id)) === undefined) return []
  const records: HistoryRecord[] = []
  for await (const record of readHistory(platform.catalog, id)) records.push(record)
  return records
}

function formatSources(sources: readonly SourceStack[]): readonly string[] {
  const rows = sources.map(({ id, state, history }) => {
    const { project, stack } = stackPartsOf(id)
    const manager = state?.secrets_providers?.type ?? '-'
    return [project, stack, String(state?.resources?.length ?? 0), String(history.length), manager]
  })
  return formatTable(['PROJECT', 'STACK', 'RESOURCES', 'HISTORY', 'SECRETS'], rows)
}
