import * as z from 'zod'
import { hasCode } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'

const webhookForm = z.looseObject({
  name: z.string(),
  value: z.looseObject({ rules: z.array(z.looseObject({ stack: z.string() })) }),
})

/**
 * Warns of webhooks whose rules name the old id of a renamed stack. Only an administrator may read
 * webhooks, so other users get no warning.
 */
export async function warnOfWebhookRules(session: CliSession, oldId: StackId): Promise<void> {
  try {
    const webhooks = await listAllItems(await session.openEngine(), '/v1/webhooks', webhookForm)
    for (const { name, value } of webhooks)
      if (value.rules.some(({ stack }) => stack === oldId))
        session.printToStderr(
          `warning: rules of the webhook '${name}' still name ${oldId}. Create the webhook again with the new name.`,
        )
  } catch (thrown) {
    if (!hasCode(thrown, 'API_FORBIDDEN')) throw thrown
  }
}
