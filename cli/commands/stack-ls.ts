import { DeployError, createError, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { HistoryRecord, StackRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import { resolveStackId } from '../stack/resolve-stack-id.ts'
import { readStackTags } from '../stack/stack-tags.ts'
import { type CliSession, findProjectName } from '../session/session.ts'
import { formatTable } from '../display/table.ts'

/**
 * `stack ls`: lists the stacks of the project, of another project, or of all projects. Throws
 * RECORD_DAMAGED and RECORD_TOO_NEW after the readable stacks have been listed.
 */
export const listStacks: Handler = async (session, flags) => {
  const projectOption = flags.text('project')
  const engine = await session.openEngine()
  const { platform, findLegacyStack } = engine
  // In the legacy layout, the catalog lists all stacks: they belong to no project.
  const hasProjects = findLegacyStack === undefined
  const isAllRequested = flags.isSet('all') && hasProjects
  const project = isAllRequested ? undefined : (projectOption ?? findProjectName(session))
  const isAllProjects = project === undefined && hasProjects
  const { stacks, unreadable } = isKnownOrganization(flags.text('organization'))
    ? await platform.catalog.listStacks(project)
    : { stacks: [], unreadable: [] }
  const failures: unknown[] = unreadable.map(({ reason }) => reason)
  const selectedId = readSelectedId(session)
  const needsTags = isJsonOutput(flags) || flags.text('tag') !== undefined
  const rows = await Promise.all(
    stacks.map(async (record): Promise<readonly StackRow[]> => {
      const lastRecord = await readLastRecord(platform, record.id, failures)
      const lastUpdateMs = lastRecord?.endedAt ?? lastRecord?.startedAt
      const tags = needsTags ? await findStackTags(session, record.id) : undefined
      if (needsTags && tags === undefined) return []
      const row = {
        name: stackNameOf(record, isAllProjects),
        current: record.id === selectedId,
        ...(lastUpdateMs === undefined ? {} : { lastUpdate: new Date(lastUpdateMs).toISOString() }),
        updateInProgress: record.current !== '',
        interrupted: record.current !== '' && (await isInterrupted(engine, record.id, failures)),
        ...(tags === undefined ? {} : { tags }),
      }
      return [row]
    }),
  )
  const shownRows = rows.flat().filter(row => hasTag(row, flags.text('tag')))
  printStacks(session, shownRows, isJsonOutput(flags))
  const [failure] = failures
  if (failure === undefined) return 0
  if (failures.length === 1 || !(failure instanceof DeployError)) throw failure
  const messages = failures.map(messageOf).join('; ')
  throw createError(failure.code, `cannot read ${failures.length} records: ${messages}`)
}

/** A row of the list. */
interface StackRow {
  readonly name: string
  readonly current: boolean
  readonly lastUpdate?: string
  readonly updateInProgress: boolean
  /** Whether the process of the deployment in progress is gone. */
  readonly interrupted: boolean
  /** The tags. Absent where neither the output nor the filter needs them. */
  readonly tags?: Readonly<Record<string, string>>
}

/** Returns the tags of a stack, or undefined if the stack was removed after the list was read. */
async function findStackTags(session: CliSession, id: StackId): Promise<StackRow['tags']> {
  try {
    return await readStackTags(session, id)
  } catch (thrown) {
    if (!hasCode(thrown, 'STACK_NOT_FOUND')) throw thrown
    return undefined
  }
}

/** Reports whether an organization exists. All stacks belong to the only one, `organization`. */
function isKnownOrganization(name: string | undefined): boolean {
  return name === undefined || name === 'organization'
}

/** Reports whether a stack passes a filter `<name>` or `<name>=<value>`. */
function hasTag({ tags = {} }: StackRow, filter: string | undefined): boolean {
  if (filter === undefined) return true
  const [, name = '', value] = /^([^=]*)(?:=([^]*))?$/.exec(filter) ?? []
  return Object.hasOwn(tags, name) && (value === undefined || tags[name] === value)
}

/**
 * Reports whether the process of a stack's current deployment is gone. If its records are
 * unreadable, the error is added to `failures`, and the result is false.
 */
async function isInterrupted(
  engine: EnginePort,
  id: StackId,
  failures: unknown[],
): Promise<boolean> {
  try {
    const { kind } = await engine.readStatus(id)
    return kind === 'interrupted' || kind === 'ending'
  } catch (thrown) {
    failures.push(thrown)
    return false
  }
}

/**
 * Returns the newest record of a stack's history. The error of an unreadable record is added to
 * `failures`.
 */
async function readLastRecord(
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

function printStacks(session: CliSession, rows: readonly StackRow[], isJson: boolean): void {
  if (isJson) return session.print(JSON.stringify(rows, null, 2))
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

function stackNameOf(record: StackRecord, isAllProjects: boolean): string {
  return isAllProjects ? record.id : stackPartsOf(record.id).stack
}

/** Returns the id of the selected stack of the folder's project, or '' without one. */
function readSelectedId({ home, requireProject }: CliSession): string {
  try {
    return resolveStackId({ stackOption: undefined, env: {}, home, requireProject })
  } catch {
    // No stack is selected outside a project, but stacks can still be listed.
    return ''
  }
}
