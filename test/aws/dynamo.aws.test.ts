import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { OpenAdapter } from '../contract/open-adapter.ts'
import { hasDynoxide, openDynoxide } from './dynoxide.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'
import { recordContracts } from './record-contracts.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }

const openRecords: OpenAdapter<RecordPorts> = async () => {
  const { endpoint, close } = await openDynoxide()
  const client = createDynamoClient({ region: 'eu-test-1', endpoint, credentials })
  const names = createTableNames()
  await createTables(client, names)
  return {
    ports: createTestRecords(client, names),
    close: async () => {
      client.destroy()
      await close()
    },
  }
}

if (hasDynoxide()) recordContracts('DynamoDB', openRecords)
