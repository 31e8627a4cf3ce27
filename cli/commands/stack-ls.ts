import { hasCode } from '../../shared/errors/error.ts'
import { findProjectFile } from '../../shared/programs/project-file.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import { stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { selectedStack } from '../selection.ts'
import type { Session } from '../session.ts'
import { tableOf } from '../table.ts'

/** `stack ls`: the stacks of the project, of another, or of all. */
export const stackLs: Handler = async (session, flags) => {
  const named = flags.text('project')
  const project = flags.is('all') ? undefined : (named ?? projectName(session))
  const all = project === undefined
  const { platform } = await session.local()
  const stacks = await platform.catalog.stacks(project)
  const selected = selectedId(session)
  const rows = await Promise.all(
    stacks.map(async record => {
      const [last] = await platform.catalog.history(record.id, 1)
      const at = last?.endedAt ?? last?.startedAt
      return {
        name: nameOf(record, all),
        current: record.id === selected,
        ...(at === undefined ? {} : { lastUpdate: new Date(at).toISOString() }),
        updateInProgress: record.current !== '',
      }
    }),
  )
  if (flags.is('json')) {
    session.print(JSON.stringify(rows, null, 2))
    return 0
  }
  const cells = rows.map(row => [
    row.name + (row.current ? '*' : ''),
    row.updateInProgress ? 'in progress' : (row.lastUpdate ?? 'n/a'),
  ])
  for (const line of tableOf(['NAME', 'LAST UPDATE'], cells)) session.print(line)
  return 0
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
