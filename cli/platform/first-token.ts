import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createFirstToken } from '../../functions/api/first-token.ts'
import { namesOf } from '../../shared/config/aws-places.ts'
import { createAudit } from '../../shared/platform/aws/dynamo/audit.ts'
import { createDocuments } from '../../shared/platform/aws/dynamo/documents.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLog } from '../../shared/platform/system/log.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import type { FirstToken, Where } from './platform-port.ts'

/**
 * Makes a token of an installation by its catalog alone: it needs `dynamodb:UpdateItem` and
 * `dynamodb:PutItem` on that table, and nothing of the API. Throws what the adapters of AWS throw.
 */
export async function firstToken(
  client: Pick<DynamoDBClient, 'send'>,
  { installation, region }: Where,
  { who, name, days }: FirstToken,
): Promise<{ readonly id: string; readonly token: string }> {
  const [clock, random] = [createSystemClock(), createSystemRandom()]
  const catalog = { client, clock, random, region, name: namesOf(installation).catalogTable }
  const ports = {
    documents: createDocuments({ catalog, random }),
    audit: createAudit({ catalog, random }),
    journal: silentLog,
    clock,
    random,
  }
  const about = { name, ...(days === undefined ? {} : { days }) }
  return createFirstToken(ports, { who, from: 'antichain platform token' }, about)
}
