import type { TriggerPorts } from '../../ports/documents.ts'
import type { Platform } from '../../ports/platform.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { createSystemClock } from '../system/clock.ts'
import { createSystemRandom } from '../system/random.ts'
import { type AwsSettings, createSqsClient, dynamoSettingsOf } from './clients.ts'
import { createCatalog } from './dynamo/catalog.ts'
import { createDynamoClient } from './dynamo/table/dynamo-client.ts'
import { createDocuments } from './dynamo/documents.ts'
import { createMarks } from './dynamo/marks.ts'
import { createRequests } from './dynamo/requests.ts'
import type { AwsResources } from './aws-resources.ts'
import { type AwsNotifications, createNotifications } from './queues/notifications.ts'
import { createNudges } from './queues/nudges.ts'
import { createKmsSealing } from './kms-sealing.ts'

/**
 * The ports of functions that handle triggers: stacks, requests, documents, marks, trigger secrets,
 * nudges and notifications. The ports for deployment records are absent.
 */
export interface AwsTriggerPlatform
  extends TriggerPorts,
    Pick<Platform, 'requests' | 'nudges' | 'clock' | 'logger'> {
  readonly catalog: Pick<Platform['catalog'], 'getStack' | 'listStacks'>
  /**
   * Creates the notifications. Throws AWS_SETTINGS_INVALID in a function without the variable of
   * the notification queue.
   */
  readonly createNotificationsPort: () => AwsNotifications
}

/**
 * Creates the ports of functions that handle triggers. Sends no request before a port is used.
 * Throws AWS_SETTINGS_INVALID.
 */
export function createTriggerPlatform(deps: {
  readonly settings: AwsSettings
  readonly resources: AwsResources
  readonly logger: LoggerPort
}): AwsTriggerPlatform {
  const { settings, resources, logger } = deps
  const { region } = settings
  const clock = createSystemClock()
  const random = createSystemRandom()
  const sqs = createSqsClient(settings)
  const client = createDynamoClient(dynamoSettingsOf(settings))
  const catalogTable = { client, clock, random, region, name: resources.get('catalogTable') }
  // These two methods read no record of the journal, so they need no journal table.
  const { getStack, listStacks } = createCatalog({
    catalogTable,
    journalTable: catalogTable,
    random,
  })
  return {
    catalog: { getStack, listStacks },
    requests: createRequests({ catalogTable, random }),
    documents: createDocuments({ table: catalogTable, random }),
    marks: createMarks({ catalogTable, random }),
    sealing: createKmsSealing(settings, resources.get('secretsKey')),
    nudges: createNudges({ sqs, url: resources.get('nudgesQueue'), clock, logger }),
    createNotificationsPort: () => {
      const queue = { url: resources.get('notificationsQueue') }
      return createNotifications({ sqs, queue, clock, logger })
    },
    clock,
    logger,
  }
}
