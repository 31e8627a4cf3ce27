import type { DeploymentStatus } from '../../functions/step-generator/deployment-status.ts'
import { readHistory } from '../../shared/engine/deployment/retention/stack-history.ts'
import { error } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { formatTable } from '../display/table.ts'

/** `stack history`: lists the deployments of a stack, newest first, page by page. */
export const showStackHistory: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const shown = readNumber(flags, 'show', '--show')
  if (shown !== undefined) return showDeployment(session, flags, { id, number: shown })
  const size = readNumber(flags, 'pageSize', '--page-size') ?? 10
  const page = readNumber(flags, 'page', '--page') ?? 1
  const { platform, readStatus } = await session.openEngine()
  const records = await readPage(readHistory(platform.catalog, id), { size, page })
  if (flags.is('json')) {
    session.print(JSON.stringify(records.map(toRecordJson), null, 2))
    return 0
  }
  const now = await readStatus(id)
  const rows = records.map(record => [
    String(deploymentPartsOf(record.deployment).number),
    commandName(record.command),
    resultText(record, now),
    new Date(record.startedAt).toISOString(),
    describeChangeCounts(record.changes ?? {}),
    record.message,
  ])
  const head = ['NUMBER', 'KIND', 'RESULT', 'STARTED', 'CHANGES', 'MESSAGE']
  for (const line of formatTable(head, rows)) session.print(line)
  return 0
}

/** Returns the items of one page. The first page has the number 1. */
async function readPage<T>(
  lines: AsyncIterable<T>,
  { size, page }: { readonly size: number; readonly page: number },
): Promise<readonly T[]> {
  const found: T[] = []
  let place = 0
  for await (const line of lines) {
    place += 1
    if (place > size * (page - 1)) found.push(line)
    if (place >= size * page) break
  }
  return found
}

/**
 * Prints one deployment: its points in time, and the pending operations that it settled or dropped.
 */
async function showDeployment(
  session: CliSession,
  flags: Flags,
  { id, number }: { readonly id: StackId; readonly number: number },
): Promise<number> {
  const local = await session.openEngine()
  const { record, moments, settled } = await local.readTimeline(id, number)
  if (flags.is('json')) {
    const times = moments?.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString() }))
    const story = { ...toRecordJson(record), settledOperations: settled }
    session.print(
      JSON.stringify(times === undefined ? story : { ...story, moments: times }, null, 2),
    )
    return 0
  }
  const result = resultText(record, await local.readStatus(id))
  session.print(`Deployment ${number}: ${commandName(record.command)}, ${result}`)
  for (const { urn, type } of settled) session.print(`No longer pending: ${type} ${urn}`)
  if (moments === undefined) session.print('The records of the deployment were removed.')
  const rows = (moments ?? []).map(({ moment, at, what, urn = '', verdict = '' }) => [
    moment,
    new Date(at).toISOString(),
    what,
    verdict,
    urn,
  ])
  if (rows.length > 0)
    for (const line of formatTable(['MOMENT', 'TIME', 'EVENT', 'RESULT', 'URN'], rows))
      session.print(line)
  return 0
}

/**
 * Returns the result. A deployment without a result and without a process is interrupted, whether
 * it is closed or not.
 */
function resultText({ result, deployment }: HistoryRecord, now: DeploymentStatus): string {
  if (result !== undefined) return result
  const isLeft = now.kind === 'interrupted' || now.kind === 'ending'
  const isIt = isLeft && now.number === deploymentPartsOf(deployment).number
  return isIt ? 'interrupted' : 'in progress'
}

function toRecordJson(record: HistoryRecord): Readonly<Record<string, unknown>> {
  const { endedAt, changes } = record
  return {
    version: record.version ?? deploymentPartsOf(record.deployment).number,
    kind: commandName(record.command),
    startTime: new Date(record.startedAt).toISOString(),
    message: record.message,
    environment: {},
    config: {},
    result: record.result ?? 'in-progress',
    ...(endedAt === undefined ? {} : { endTime: new Date(endedAt).toISOString() }),
    ...(changes === undefined ? {} : { resourceChanges: changes }),
  }
}

/** Pulumi's names of commands that have other names here. */
const pulumiWords: Partial<Record<HistoryRecord['command'], string>> = {
  up: 'update',
  import: 'resource-import',
  'stack import': 'import',
  'stack rename': 'rename',
}

function commandName(command: HistoryRecord['command']): string {
  return pulumiWords[command] ?? command
}

function describeChangeCounts(changes: Readonly<Record<string, number>>): string {
  return Object.entries(changes)
    .map(([op, count]) => `${count} ${op}`)
    .join(', ')
}

function readNumber(flags: Flags, name: string, spelled: string): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text)) throw error('CLI_USAGE', `${spelled} takes a number, not '${text}'`)
  return Number(text)
}
