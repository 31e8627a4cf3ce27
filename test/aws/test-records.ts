import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { randomBytes, randomUUID, createHash } from 'node:crypto'
import { createError } from '../../shared/errors/error.ts'
import {
  type TableDefinition,
  type TableNames,
  tables,
} from '../../shared/platform/aws/dynamo/table-definitions.ts'
import { createRecords, type RecordPorts } from '../../shared/platform/aws/records.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import type { BlobsPort } from '../../shared/ports/records.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { BlobHash } from '../../shared/records/ids.ts'

/** Returns table names that no other run uses. */
export function createTableNames(): TableNames {
  const run = randomBytes(4).toString('hex')
  return { journal: `antichain-${run}-journal`, catalog: `antichain-${run}-catalog` }
}

/** Creates the tables as the installation defines them. */
export async function createTables(
  client: Pick<DynamoDBClient, 'send'>,
  names: TableNames,
): Promise<void> {
  for (const [id, definition] of Object.entries<TableDefinition>(tables)) {
    const { partitionKey, sortKey } = definition
    await client.send(
      new CreateTableCommand({
        TableName: names[id as keyof TableNames],
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [partitionKey, sortKey].map(name => ({
          AttributeName: name,
          AttributeType: 'S',
        })),
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
      }),
    )
  }
}

/** Creates the record ports over a client, with blobs in memory. */
export function createTestRecords(
  client: Pick<DynamoDBClient, 'send'>,
  names: TableNames,
  clock: Pick<ClockPort, 'now' | 'sleep'> = createSystemClock(),
): RecordPorts & {
  readonly blobs: BlobsPort
  readonly clock: Pick<ClockPort, 'now' | 'sleep'>
} {
  const random = {
    uuid: () => randomUUID() as string,
    bytes: (count: number) => new Uint8Array(randomBytes(count)),
  }
  const blobs = createBlobsInMemory()
  const deps = { client, clock, random, region: 'eu-test-1', tables: names }
  return { ...createRecords(deps, blobs), blobs, clock }
}

function createBlobsInMemory(): BlobsPort {
  const bytesByHash = new Map<BlobHash, Uint8Array>()
  return {
    put: async bytes => {
      const hash = createHash('sha256').update(bytes).digest('hex') as BlobHash
      bytesByHash.set(hash, bytes)
      return hash
    },
    get: async hash => {
      const bytes = bytesByHash.get(hash)
      if (bytes === undefined) throw createError('STATE_INVALID', `the blob ${hash} is absent`)
      return bytes
    },
  }
}
