import { DeployError, error, hasCode, messageOf } from '../../shared/errors/error.ts'
import { findProjectFile } from '../../shared/programs/project/project-file.ts'
import type { HistoryRecord, StackRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { EnginePort } from '../session/engine-port.ts'
import { readSelectedStack } from '../stack/selected-stack.ts'
import type { CliSession } from '../session/session.ts'
import { formatTable } from '../display/table.ts'

/**
 * `stack ls`: lists the stacks of the project, of another project, or of all projects. Throws
 * RECORD_DAMAGED and RECORD_TOO_NEW after it has listed the readable ones.
 */
export const listStacks: Handler = async (session, flags) => {
  const named = flags.text('project')
  const project = flags.is('all') ? undefined : (named ?? readProjectName(session))
  const all = project === undefined
  const local = await session.openEngine()
  const { platform } = local
  const { stacks, unreadable } = await platform.catalog.listStacks(project)
  const failures: unknown[] = unreadable.map(({ why }) => why)
  const selected = readSelectedId(session)
  const rows = await Promise.all(
    stacks.map(async (record): Promise<StackRow> => {
      const last = await readLast(platform, record.id, failures)
      const at = last?.endedAt ?? last?.startedAt
      return {
        name: stackNameOf(record, all),
        current: record.id === selected,
        ...(at === undefined ? {} : { lastUpdate: new Date(at).toISOString() }),
        updateInProgress: record.current !== '',
        interrupted: record.current !== '' && (await isInterrupted(local, record.id, failures)),
      }
    }),
  )
  printStacks(session, rows, flags.is('json'))
  const [failure] = failures
  if (failure === undefined) return 0
  if (failures.length === 1 || !(failure instanceof DeployError)) throw failure
  const messages = failures.map(messageOf).join('; ')
  throw error(failure.code, `cannot read ${failures.length} records: ${messages}`)
}

/** A row of the list. */
interface StackRow {
  readonly name: string
  readonly current: boolean
  readonly lastUpdate?: string
  readonly updateInProgress: boolean
  /** Whether the process of the deployment in progress is gone. */
  readonly interrupted: boolean
}

/**
 * Reports whether the process of a deployment is gone. Returns false when its records are
 * unreadable.
 */
async function isInterrupted(
  local: EnginePort,
  id: StackId,
  failures: unknown[],
): Promise<boolean> {
  try {
    const { kind } = await local.readStatus(id)
    return kind === 'interrupted' || kind === 'ending'
  } catch (thrown) {
    failures.push(thrown)
    return false
  }
}

/**
 * Returns the newest entry of a stack's history. An unreadable one is reported with the other
 * failures.
 */
async function readLast(
  { catalog }: Platform,
  id: StackId,
  failures: unknown[],
): Promise<HistoryRecord | undefined> {
  try {
    return (await catalog.listHistory(id, 1))[0]
  } catch (thrown) {
    failures.push(thrown)
    return undefined
  }
}

function printStacks(session: CliSession, rows: readonly StackRow[], asJson: boolean): void {
  if (asJson) return session.print(JSON.stringify(rows, null, 2))
  const cells = rows.map(row => [
    row.name + (row.current ? '*' : ''),
    row.interrupted
      ? 'interrupted'
      : row.updateInProgress
        ? 'in progress'
        : (row.lastUpdate ?? 'n/a'),
  ])
  for (const line of formatTable(['NAME', 'LAST UPDATE'], cells)) session.print(line)
}

function stackNameOf(record: StackRecord, all: boolean): string {
  return all ? record.id : stackPartsOf(record.id).stack
}

/**
 * Returns the name of the project. Outside a project it returns undefined, and the stacks of all
 * projects are listed.
 */
function readProjectName(session: CliSession): string | undefined {
  try {
    return session.requireProject().name
  } catch (thrown) {
    if (hasCode(thrown, 'PROJECT_NOT_FOUND')) return undefined
    throw thrown
  }
}

function readSelectedId(session: CliSession): string {
  try {
    const name = readSelectedStack(session.home, findProjectFile(session.cwd))
    return name === '' ? '' : stackIdOf(session.requireProject().name, name)
  } catch {
    // No stack is selected outside a project, but stacks can still be listed.
    return ''
  }
}
