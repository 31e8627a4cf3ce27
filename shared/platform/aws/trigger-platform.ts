import type { TriggerPorts } from '../../ports/documents.ts'
import type { Platform } from '../../ports/platform.ts'
import type { LogPort } from '../../ports/system.ts'
import { createSystemClock } from '../system/clock.ts'
import { createSystemRandom } from '../system/random.ts'
import { type AwsSettings, createSqs } from './clients.ts'
import { createCatalog } from './dynamo/catalog.ts'
import { createDynamoClient } from './dynamo/client.ts'
import { createDocuments } from './dynamo/documents.ts'
import { createMarks } from './dynamo/marks.ts'
import { createRequests } from './dynamo/requests.ts'
import type { AwsPlaces } from './places.ts'
import { type AwsNotifications, createNotifications } from './queues/notifications.ts'
import { createNudges } from './queues/nudges.ts'
import { createKmsSealing } from './sealing.ts'

/** The ports of what handles triggers: the catalog, nudges, secrets of triggers; no journal. */
export interface AwsTriggerPlatform
  extends TriggerPorts,
    Pick<Platform, 'requests' | 'nudges' | 'clock' | 'journal'> {
  readonly catalog: Pick<Platform['catalog'], 'stack'>
  /** Throws AWS_SETTINGS_INVALID in a function that is told no queue of notifications. */
  readonly notifications: () => AwsNotifications
}

/** Makes these ports: nothing is asked before one of them is. Throws AWS_SETTINGS_INVALID. */
export function createTriggerPlatform(about: {
  readonly settings: AwsSettings
  readonly places: AwsPlaces
  readonly log: LogPort
}): AwsTriggerPlatform {
  const { settings, places, log } = about
  const { region, endpoints } = settings
  const clock = createSystemClock()
  const random = createSystemRandom()
  const sqs = createSqs(settings)
  const endpoint = endpoints.DYNAMODB
  const client = createDynamoClient({ region, ...(endpoint === undefined ? {} : { endpoint }) })
  const catalog = { client, clock, random, region, name: places.of('catalogTable') }
  // Only the record of a stack is read: what a catalog keeps in the journal is not reached.
  const { stack } = createCatalog({ catalog, journal: catalog, random })
  return {
    catalog: { stack },
    requests: createRequests({ catalog, random }),
    documents: createDocuments({ catalog, random }),
    marks: createMarks({ catalog, random }),
    sealing: createKmsSealing(settings, places.of('key')),
    nudges: createNudges({ sqs, url: places.of('nudgesQueue'), clock, log }),
    notifications: () => {
      const queue = { url: places.of('notificationsQueue') }
      return createNotifications({ sqs, queue, clock, log })
    },
    clock,
    journal: log,
  }
}
