import { DeployError, createError, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
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
  const read = createReporter(failures)
  const rows = await Promise.all(
    stacks.map(async (record): Promise<readonly StackRow[]> => {
      try {
        const lastRecord = (await read(() => platform.catalog.listHistory(record.id, 1)))?.[0]
        const lastUpdateMs = lastRecord?.endedAt ?? lastRecord?.startedAt
        const isOpen = record.current !== ''
        const status = isOpen ? await read(() => engine.readStatus(record.id)) : undefined
        const row = {
          name: stackNameOf(record, isAllProjects),
          current: record.id === selectedId,
          ...(lastUpdateMs === undefined
            ? {}
            : { lastUpdate: new Date(lastUpdateMs).toISOString() }),
          updateInProgress: isOpen,
          interrupted: status?.kind === 'interrupted' || status?.kind === 'ending',
          ...(needsTags ? { tags: await readStackTags(session, record.id) } : {}),
        }
        return [row]
      } catch (thrown) {
        if (!hasCode(thrown, 'STACK_NOT_FOUND')) throw thrown
        // The stack was removed after the list was read.
        return []
      }
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

/**
 * Returns a function that calls `read` and returns its result. For unreadable records, the function
 * adds the error to `failures`, and returns undefined. The function throws STACK_NOT_FOUND.
 */
function createReporter(failures: unknown[]) {
  return async <Value>(read: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await read()
    } catch (thrown) {
      if (hasCode(thrown, 'STACK_NOT_FOUND')) throw thrown
      failures.push(thrown)
      return undefined
    }
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
