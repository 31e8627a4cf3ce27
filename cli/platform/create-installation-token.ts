import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createFirstToken } from '../../functions/api/first-token.ts'
import { installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { createAudit } from '../../shared/platform/aws/dynamo/audit.ts'
import { createDocuments } from '../../shared/platform/aws/dynamo/documents.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import type { InstallationTokenRequest, InstallationTarget } from './platform-port.ts'

/**
 * Creates an admin token of an installation in its catalog table. The caller needs
 * `dynamodb:UpdateItem` and `dynamodb:PutItem` on that table. The API is not used. Throws the
 * errors of the AWS adapters.
 */
export async function createInstallationToken(
  client: Pick<DynamoDBClient, 'send'>,
  { installation, region }: InstallationTarget,
  { userName, name, days }: InstallationTokenRequest,
): Promise<{ readonly id: string; readonly token: string }> {
  const [clock, random] = [createSystemClock(), createSystemRandom()]
  const catalogTable = {
    client,
    clock,
    random,
    region,
    name: installationNamesOf(installation).catalogTable,
  }
  const ports = {
    documents: createDocuments({ table: catalogTable, random }),
    audit: createAudit({ catalogTable, random }),
    logger: silentLogger,
    clock,
    random,
  }
  const token = { name, ...(days === undefined ? {} : { days }) }
  return createFirstToken(ports, { userName, clientAddress: 'antichain platform token' }, token)
}
