import {
  countImportedBackendEntries,
  toHistoryImport,
} from '../../shared/backends/import-backend-history.ts'
import { importHistory } from '../../shared/backends/import-history.ts'
import { readHistory } from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { formatTable } from '../display/table.ts'
import type { CliSession } from '../session/session.ts'
import type { SourceStack } from './read-source-stack.ts'

/**
 * Creates the stack of a source unless it exists, and gives it the state of the source. Without a
 * login, the stack also gets the history. Continues an interrupted import, even if the interruption
 * was within an entry of the history.
 */
export async function importSource(
  session: CliSession,
  source: SourceStack,
  force: boolean,
): Promise<void> {
  const engine = await session.openEngine()
  const { catalog, blobs, clock } = engine.platform
  const { id, state, history } = source
  await catalog.createStack(id, clock.now())
  if (engine.remote === undefined) {
    const records = await readStackRecords(session, id)
    const entries = history.map(toHistoryImport)
    await importHistory({ catalog, blobs }, id, { records, entries })
  }
  if (state !== null) {
    const stateHash = await engine.putState(id, state)
    const { notices } = await engine.editState(id, { kind: 'import', state: stateHash, force })
    for (const notice of notices) session.printToStderr(`warning: ${notice}`)
  }
}

/**
 * Reports whether this store has no deployments of a stack. The entries of an import that was
 * interrupted do not count.
 */
export async function isNewStack(
  session: CliSession,
  { id, history }: SourceStack,
): Promise<boolean> {
  const records = await readStackRecords(session, id)
  return countImportedBackendEntries(records, history) >= records.length
}

/** Returns the history of a stack, or no records if this store has no such stack. */
export async function readStackRecords(
  session: CliSession,
  id: StackId,
): Promise<readonly HistoryRecord[]> {
  const { platform } = await session.openEngine()
  if ((await platform.catalog.getStack(id)) === undefined) return []
  const records: HistoryRecord[] = []
  for await (const record of readHistory(platform.catalog, id)) records.push(record)
  return records
}

/**
 * Formats stacks of a backend as a table: the numbers of resources and history entries, and the
 * type of the secrets manager.
 */
export function formatSources(sources: readonly SourceStack[]): readonly string[] {
  const rows = sources.map(({ id, state, history }) => {
    const { project, stack } = stackPartsOf(id)
    const manager = state?.secrets_providers?.type ?? '-'
    return [project, stack, String(state?.resources?.length ?? 0), String(history.length), manager]
  })
  return formatTable(['PROJECT', 'STACK', 'RESOURCES', 'HISTORY', 'SECRETS'], rows)
}
