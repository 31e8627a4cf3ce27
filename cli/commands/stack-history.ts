import type { Standing } from '../../functions/step-generator/standing.ts'
import { historyOf } from '../../shared/engine/deployment/past.ts'
import { error } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import type { Flags } from '../flags.ts'
import type { Session } from '../session.ts'
import { tableOf } from '../table.ts'

/** `stack history`: the deployments of a stack, newest first, a page at a time. */
export const stackHistory: Handler = async (session, flags) => {
  const id = await session.existingStack()
  const shown = numberOf(flags, 'show', '--show')
  if (shown !== undefined) return showDeployment(session, flags, { id, number: shown })
  const size = numberOf(flags, 'pageSize', '--page-size') ?? 10
  const page = numberOf(flags, 'page', '--page') ?? 1
  const { platform, standing } = await session.local()
  const records = await pageOf(historyOf(platform.catalog, id), { size, page })
  if (flags.is('json')) {
    session.print(JSON.stringify(records.map(recordJson), null, 2))
    return 0
  }
  const now = await standing(id)
  const rows = records.map(record => [
    String(deploymentPartsOf(record.deployment).number),
    wordOf(record.command),
    resultOf(record, now),
    new Date(record.startedAt).toISOString(),
    changesText(record.changes ?? {}),
    record.message,
  ])
  const head = ['NUMBER', 'KIND', 'RESULT', 'STARTED', 'CHANGES', 'MESSAGE']
  for (const line of tableOf(head, rows)) session.print(line)
  return 0
}

/** The lines of one page, of which the first is number 1. */
async function pageOf<T>(
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

/** One deployment: what it did when, and which pending operations it settled or dropped. */
async function showDeployment(
  session: Session,
  flags: Flags,
  { id, number }: { readonly id: StackId; readonly number: number },
): Promise<number> {
  const local = await session.local()
  const { record, moments, settled } = await local.story(id, number)
  if (flags.is('json')) {
    const times = moments?.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString() }))
    const story = { ...recordJson(record), settledOperations: settled }
    session.print(
      JSON.stringify(times === undefined ? story : { ...story, moments: times }, null, 2),
    )
    return 0
  }
  const result = resultOf(record, await local.standing(id))
  session.print(`Deployment ${number}: ${wordOf(record.command)}, ${result}`)
  for (const { urn, type } of settled) session.print(`No longer pending after it: ${type} ${urn}`)
  if (moments === undefined) session.print('Its records were removed.')
  const rows = (moments ?? []).map(({ moment, at, what, urn = '', verdict = '' }) => [
    moment,
    new Date(at).toISOString(),
    what,
    verdict,
    urn,
  ])
  if (rows.length > 0)
    for (const line of tableOf(['MOMENT', 'TIME', 'WHAT', 'END', 'URN'], rows)) session.print(line)
  return 0
}

/** One that has no result yet and no process any more is interrupted, closed or not. */
function resultOf({ result, deployment }: HistoryRecord, now: Standing): string {
  if (result !== undefined) return result
  const isLeft = now.kind === 'interrupted' || now.kind === 'ending'
  const isIt = isLeft && now.number === deploymentPartsOf(deployment).number
  return isIt ? 'interrupted' : 'in progress'
}

function recordJson(record: HistoryRecord): Readonly<Record<string, unknown>> {
  const { endedAt, changes } = record
  return {
    version: record.version ?? deploymentPartsOf(record.deployment).number,
    kind: wordOf(record.command),
    startTime: new Date(record.startedAt).toISOString(),
    message: record.message,
    environment: {},
    config: {},
    result: record.result ?? 'in-progress',
    ...(endedAt === undefined ? {} : { endTime: new Date(endedAt).toISOString() }),
    ...(changes === undefined ? {} : { resourceChanges: changes }),
  }
}

/** Pulumi's words where they differ from ours. */
const pulumiWords: Partial<Record<HistoryRecord['command'], string>> = {
  up: 'update',
  import: 'resource-import',
  'stack import': 'import',
  'stack rename': 'rename',
}

function wordOf(command: HistoryRecord['command']): string {
  return pulumiWords[command] ?? command
}

function changesText(changes: Readonly<Record<string, number>>): string {
  return Object.entries(changes)
    .map(([op, count]) => `${count} ${op}`)
    .join(', ')
}

function numberOf(flags: Flags, name: string, spelled: string): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text)) throw error('CLI_USAGE', `${spelled} takes a number, not '${text}'`)
  return Number(text)
}
