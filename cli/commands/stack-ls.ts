import { DeployError, error, hasCode, messageOf } from '../../shared/errors/error.ts'
import { findProjectFile } from '../../shared/programs/project-file.ts'
import type { HistoryRecord, StackRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import type { Local } from '../local-port.ts'
import { selectedStack } from '../selection.ts'
import type { Session } from '../session.ts'
import { tableOf } from '../table.ts'

/**
 * `stack ls`: the stacks of the project, of another, or of all. Throws RECORD_DAMAGED and
 * RECORD_TOO_NEW once it has listed those that can be read.
 */
export const stackLs: Handler = async (session, flags) => {
  const named = flags.text('project')
  const project = flags.is('all') ? undefined : (named ?? projectName(session))
  const all = project === undefined
  const local = await session.local()
  const { platform } = local
  const { stacks, unreadable } = await platform.catalog.stacks(project)
  const failures: unknown[] = unreadable.map(({ why }) => why)
  const selected = selectedId(session)
  const rows = await Promise.all(
    stacks.map(async (record): Promise<Row> => {
      const last = await lastOf(platform, record.id, failures)
      const at = last?.endedAt ?? last?.startedAt
      return {
        name: nameOf(record, all),
        current: record.id === selected,
        ...(at === undefined ? {} : { lastUpdate: new Date(at).toISOString() }),
        updateInProgress: record.current !== '',
        interrupted: record.current !== '' && (await isLeft(local, record.id, failures)),
      }
    }),
  )
  show(session, rows, flags.is('json'))
  const [failure] = failures
  if (failure === undefined) return 0
  if (failures.length === 1 || !(failure instanceof DeployError)) throw failure
  const said = failures.map(messageOf).join('; ')
  throw error(failure.code, `${failures.length} records cannot be read: ${said}`)
}

/** What is told of a stack. */
interface Row {
  readonly name: string
  readonly current: boolean
  readonly lastUpdate?: string
  readonly updateInProgress: boolean
  /** Whether the deployment in progress has no process any more. */
  readonly interrupted: boolean
}

/** Whether a deployment has no process any more; false when its records cannot be read. */
async function isLeft(local: Local, id: StackId, failures: unknown[]): Promise<boolean> {
  try {
    const { kind } = await local.standing(id)
    return kind === 'interrupted' || kind === 'ending'
  } catch (thrown) {
    failures.push(thrown)
    return false
  }
}

/** The last line of a stack's history; when it cannot be read, that is told with the others. */
async function lastOf(
  { catalog }: Platform,
  id: StackId,
  failures: unknown[],
): Promise<HistoryRecord | undefined> {
  try {
    return (await catalog.history(id, 1))[0]
  } catch (thrown) {
    failures.push(thrown)
    return undefined
  }
}

function show(session: Session, rows: readonly Row[], asJson: boolean): void {
  if (asJson) return session.print(JSON.stringify(rows, null, 2))
  const cells = rows.map(row => [
    row.name + (row.current ? '*' : ''),
    row.interrupted
      ? 'interrupted'
      : row.updateInProgress
        ? 'in progress'
        : (row.lastUpdate ?? 'n/a'),
  ])
  for (const line of tableOf(['NAME', 'LAST UPDATE'], cells)) session.print(line)
}

function nameOf(record: StackRecord, all: boolean): string {
  return all ? record.id : stackPartsOf(record.id).stack
}

/** Outside of a project the stacks of all projects are listed. */
function projectName(session: Session): string | undefined {
  try {
    return session.project().name
  } catch (thrown) {
    if (hasCode(thrown, 'PROJECT_NOT_FOUND')) return undefined
    throw thrown
  }
}

function selectedId(session: Session): string {
  try {
    const name = selectedStack(session.home, findProjectFile(session.cwd))
    return name === '' ? '' : stackIdOf(session.project().name, name)
  } catch {
    // Outside of a project nothing is selected, which is no reason not to list.
    return ''
  }
}
