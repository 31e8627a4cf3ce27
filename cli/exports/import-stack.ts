import {
  countImportedEntries,
  type ExportedEntry,
  toHistoryImports,
} from '../../shared/backends/import-exported-history.ts'
import { importHistory } from '../../shared/backends/import-history.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { applyStateEdit } from '../../shared/state/edits/apply-edit.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { readStackRecords } from '../backends/import-source.ts'
import type { CliSession } from '../session/session.ts'
import type { ExportedStackReader } from './exported-stack.ts'
import { importDocuments } from './import-documents.ts'

/**
 * The relation of an exported stack to the target. `new`: the target has no such stack. `partial`:
 * an earlier import of it was interrupted, or the stack is empty. `present`: the target has the
 * whole stack, or a stack with the same state. `exists`: the target has a stack of this name with
 * other contents.
 */
export type ImportStatus = 'new' | 'partial' | 'present' | 'exists'

/** Compares a stack of an export with the target, without a change. */
export async function findImportStatus(
  session: CliSession,
  reader: ExportedStackReader,
): Promise<ImportStatus> {
  const engine = await session.openEngine()
  const record = await engine.platform.catalog.getStack(reader.id)
  if (record === undefined) return 'new'
  // Nothing shows whether the settings of an empty stack were imported. An import may repeat them.
  if (record.deployments === 0) return 'partial'
  const compareStates = async (): Promise<ImportStatus> => {
    const targetState = await engine.exportState(reader.id)
    return isEqualState(targetState, await reader.readState()) ? 'present' : 'exists'
  }
  if (engine.remote !== undefined) return compareStates()
  const [records, entries] = [
    await readStackRecords(session, reader.id),
    await reader.readEntries(),
  ]
  const count = countImportedEntries(records, entries)
  // After an import with --overwrite, the deployments differ, but the states are equal.
  if (count === undefined) return compareStates()
  return count === entries.length && record.current === '' ? 'present' : 'partial'
}

/**
 * Creates a stack of an export, or continues an interrupted import. A machine also gets the history
 * of the stack with the earlier states. An API gets the newest state as an import. Before any
 * change, throws STATE_FOREIGN and STATE_INTEGRITY for a state that `stack import` would refuse.
 */
export async function importExportedStack(
  session: CliSession,
  reader: ExportedStackReader,
): Promise<void> {
  const engine = await session.openEngine()
  const { catalog, blobs, clock } = engine.platform
  const { id } = reader
  const state = await reader.readState()
  if (state !== undefined) requireValidState(id, state)
  await catalog.createStack(id, clock.now())
  // The settings precede the state, so an import that is interrupted in between writes both again.
  await importDocuments(session, reader)
  if (engine.remote !== undefined) return replaceState(session, reader)
  const [records, entries] = [await readStackRecords(session, id), await reader.readEntries()]
  const readVersion = async (version: number) => reader.readState(version)
  const imports = toHistoryImports(entries, readVersion)
  await importHistory({ catalog, blobs }, id, { records, entries: imports })
  const hasVersion = entries.some(({ version = 0 }: ExportedEntry) => version > 0)
  if (state !== undefined && !hasVersion) await replaceState(session, reader)
}

/** Imports the newest state of an export into an existing stack, as its next version. */
export async function replaceState(
  session: CliSession,
  { id, readState }: ExportedStackReader,
): Promise<void> {
  const engine = await session.openEngine()
  const state = await readState()
  if (state === undefined) return
  const stateHash = await engine.putState(id, state)
  const { notices } = await engine.editState(id, { kind: 'import', state: stateHash, force: false })
  for (const notice of notices) session.printToStderr(`warning: ${toPrintable(notice, 1_000)}`)
}

function requireValidState(id: StackId, state: StoredDeployment): void {
  const emptyState: StoredDeployment = { manifest: state.manifest, metadata: {} }
  const edit = { kind: 'import', state: '', force: false } as const
  applyStateEdit(edit, { before: emptyState, namedState: state, names: stackPartsOf(id) })
}

/** Reports whether two states have the same resources. Times and versions do not count. */
function isEqualState(
  left: StoredDeployment | undefined,
  right: StoredDeployment | undefined,
): boolean {
  const contentsOf = (state: StoredDeployment | undefined) =>
    JSON.stringify([state?.resources ?? [], state?.pending_operations ?? []])
  return contentsOf(left) === contentsOf(right)
}
