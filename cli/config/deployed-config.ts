import * as z from 'zod'
import { hasCode } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { hasSecure, toConfigTree } from '../../shared/programs/config/config-tree.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'
import { createRecordForm } from '../../shared/values/record-form.ts'

/** The text in place of a secret value in the events of a deployment. */
export const maskedConfigText = '[secret]'

const eventsForm = z.object({
  items: z.array(
    z.looseObject({
      preludeEvent: z.looseObject({ config: createRecordForm(z.string()) }).optional(),
    }),
  ),
})

/**
 * Codes of deployments without events. Deployments before a rename of the stack keep its old id,
 * under which the API does not find the stack.
 */
const absenceCodes = ['MOMENT_UNKNOWN', 'RECORDS_REMOVED', 'DEPLOYMENT_UNKNOWN'] as const

/** Number of events to read. The configuration is in one of the first events of a deployment. */
const eventsRead = 20

/**
 * Returns the configuration of a deployment from its first events, with masked secrets. Returns
 * undefined for an edit, for a deployment before a rename, and when the events were removed.
 */
export async function readDeployedConfig(
  session: CliSession,
  id: StackId,
  deployment: number,
): Promise<Readonly<Record<string, string>> | undefined> {
  const engine = await session.openEngine()
  try {
    const page = await engine.callApi({
      method: 'GET',
      path: `${stackPathOf(id)}/deployments/${deployment}/events?limit=${eventsRead}`,
    })
    const { items } = eventsForm.parse(page)
    return items.find(({ preludeEvent }) => preludeEvent !== undefined)?.preludeEvent?.config
  } catch (thrown) {
    if (absenceCodes.some(code => hasCode(thrown, code))) return undefined
    throw thrown
  }
}

/** Returns the configuration that the history records, with masked secrets. */
export function describeRecordedConfig(
  config: NonNullable<HistoryRecord['config']>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return [key, hasSecure(toConfigTree(value)) ? maskedConfigText : text]
    }),
  )
}
