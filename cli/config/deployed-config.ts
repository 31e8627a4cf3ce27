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
 * The error codes for a deployment whose events do not exist. A deployment from before a rename
 * keeps the old id of the stack, so the API does not find it under the new id.
 */
const absenceCodes = ['MOMENT_UNKNOWN', 'RECORDS_REMOVED', 'DEPLOYMENT_UNKNOWN'] as const

/** Maximum number of events to read. One of the first events contains the configuration. */
const eventsMax = 20

/**
 * Returns the configuration of a deployment from its first events, with masked secrets. Returns
 * undefined for an edit of the state, for a deployment from before a rename of the stack, and when
 * the events were removed.
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
      path: `${stackPathOf(id)}/deployments/${deployment}/events?limit=${eventsMax}`,
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
