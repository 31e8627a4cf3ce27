import type { DeploymentStatus } from '../../functions/step-generator/deployment-status.ts'
import { readHistory } from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import { kindsByCommand } from '../../shared/backends/update-kind.ts'
import { createError } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { formatTable } from '../display/table.ts'
import {
  describeApproval,
  describeDeployment,
  toRequesterAndApprovalJson,
} from './deployment-show.ts'
import {
  describeRecordedConfig,
  maskedConfigText,
  readDeployedConfig,
} from '../config/deployed-config.ts'

/**
 * `stack history`: lists one page of the deployments of a stack, newest first. With --show it shows
 * one deployment.
 */
export const showStackHistory: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const deploymentNumber = readNumberFlag(flags, 'show', '--show')
  if (deploymentNumber !== undefined)
    return showDeployment(session, flags, { id, number: deploymentNumber })
  const pageSize = readNumberFlag(flags, 'pageSize', '--page-size') ?? 10
  const page = readNumberFlag(flags, 'page', '--page') ?? 1
  const { platform, readStatus } = await session.openEngine()
  const history = readHistory(platform.catalog, id)
  const isJson = isJsonOutput(flags)
  const records = await readPage(isJson ? omitUnfinished(history) : history, { pageSize, page })
  if (isJson) {
    const configs = await Promise.all(
      records.map(({ deployment }) =>
        readDeployedConfig(session, id, deploymentPartsOf(deployment).number),
      ),
    )
    const recordsJson = records.map((record, index) => toRecordJson(record, configs[index]))
    session.print(JSON.stringify(recordsJson, null, 2))
    return 0
  }
  const status = await readStatus(id)
  const rows = records.map(record => [
    String(deploymentPartsOf(record.deployment).number),
    kindsByCommand[record.command],
    formatResult(record, status),
    new Date(record.startedAt).toISOString(),
    describeChangeCounts(record.changes ?? {}),
    record.by ?? '',
    formatApproval(record),
    record.message,
  ])
  const header = ['NUMBER', 'KIND', 'RESULT', 'STARTED', 'CHANGES', 'BY', 'APPROVED', 'MESSAGE']
  const hasApproval = records.some(({ approval }) => approval !== undefined)
  const table = [header, ...rows].map(cells =>
    hasApproval ? cells : cells.toSpliced(header.indexOf('APPROVED'), 1),
  )
  for (const line of formatTable(table[0] ?? [], table.slice(1))) session.print(line)
  return 0
}

/**
 * Omits deployments without a result, as Pulumi does. The SDKs regard the newest entry as the
 * result of the deployment that they have run.
 */
async function* omitUnfinished(
  records: AsyncIterable<HistoryRecord>,
): AsyncGenerator<HistoryRecord> {
  for await (const record of records) if (record.result !== undefined) yield record
}

/** Returns the items of one page. The first page has the number 1. */
async function readPage<T>(
  items: AsyncIterable<T>,
  { pageSize, page }: { readonly pageSize: number; readonly page: number },
): Promise<readonly T[]> {
  const pageItems: T[] = []
  let position = 0
  for await (const item of items) {
    position += 1
    if (position > pageSize * (page - 1)) pageItems.push(item)
    if (position >= pageSize * page) break
  }
  return pageItems
}

/**
 * Prints one deployment: its moments, and the pending operations that it resolved or
 * dropped.
 */
async function showDeployment(
  session: CliSession,
  flags: Flags,
  { id, number }: { readonly id: StackId; readonly number: number },
): Promise<number> {
  const engine = await session.openEngine()
  const { record, moments, resolved } = await engine.readTimeline(id, number)
  if (isJsonOutput(flags)) {
    const momentsJson = moments?.map(({ at, ...otherFields }) => ({
      ...otherFields,
      at: new Date(at).toISOString(),
    }))
    const config = await readDeployedConfig(session, id, number)
    const deploymentJson = { ...toRecordJson(record, config), settledOperations: resolved }
    session.print(
      JSON.stringify(
        momentsJson === undefined ? deploymentJson : { ...deploymentJson, moments: momentsJson },
        null,
        2,
      ),
    )
    return 0
  }
  const result = formatResult(record, await engine.readStatus(id))
  session.print(describeDeployment(record, result))
  for (const line of describeApproval(record)) session.print(line)
  for (const { urn, type } of resolved) session.print(`No longer pending: ${type} ${urn}`)
  if (moments === undefined) session.print('The records of the deployment were removed.')
  const rows = (moments ?? []).map(({ moment, at, what: event, urn = '', verdict = '' }) => [
    moment,
    new Date(at).toISOString(),
    event,
    verdict,
    urn,
  ])
  if (rows.length > 0)
    for (const line of formatTable(['MOMENT', 'TIME', 'EVENT', 'RESULT', 'URN'], rows))
      session.print(line)
  return 0
}

/**
 * Returns the result of a deployment. Without a result, a deployment is interrupted if its process
 * is gone, and otherwise in progress.
 */
function formatResult({ result, deployment }: HistoryRecord, status: DeploymentStatus): string {
  if (result !== undefined) return result
  const isInterrupted = status.kind === 'interrupted' || status.kind === 'ending'
  const isThisDeployment = isInterrupted && status.number === deploymentPartsOf(deployment).number
  return isThisDeployment ? 'interrupted' : 'in progress'
}

/**
 * Converts a record to Pulumi's JSON. `config`: the configuration in the events of the deployment,
 * if they still exist.
 */
function toRecordJson(
  record: HistoryRecord,
  config: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, unknown>> {
  const { endedAt, changes } = record
  return {
    version: record.version ?? deploymentPartsOf(record.deployment).number,
    deployment: deploymentPartsOf(record.deployment).number,
    kind: kindsByCommand[record.command],
    startTime: new Date(record.startedAt).toISOString(),
    message: record.message,
    ...toRequesterAndApprovalJson(record),
    environment: record.environment ?? {},
    config: Object.fromEntries(
      Object.entries(config ?? describeRecordedConfig(record.config ?? {})).map(([key, text]) => [
        key,
        text === maskedConfigText ? { secret: true } : { value: text, secret: false },
      ]),
    ),
    result: record.result ?? 'in-progress',
    ...(endedAt === undefined ? {} : { endTime: new Date(endedAt).toISOString() }),
    ...(changes === undefined ? {} : { resourceChanges: changes }),
  }
}

/** Returns the approver of a deployment and the time, or '' without an approval. */
function formatApproval({ approval }: HistoryRecord): string {
  if (approval === undefined) return ''
  const { by, at } = approval
  return at === undefined ? by : `${by}, ${new Date(at).toISOString()}`
}

function describeChangeCounts(changes: Readonly<Record<string, number>>): string {
  return Object.entries(changes)
    .map(([op, count]) => `${count} ${op}`)
    .join(', ')
}

function readNumberFlag(flags: Flags, name: string, option: string): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text))
    throw createError('CLI_USAGE', `${option} takes a number, not '${text}'`)
  return Number(text)
}
