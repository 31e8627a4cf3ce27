import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { Open } from '../contract/opened.ts'
import { hasDynoxide, openDynoxide } from './dynoxide.ts'
import { createTables, freshTables, recordsOver } from './records.ts'
import { recordContracts } from './suites.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }

const plain: Open<RecordPorts> = async () => {
  const { endpoint, close } = await openDynoxide()
  const client = createDynamoClient({ region: 'eu-test-1', endpoint, credentials })
  const names = freshTables()
  await createTables(client, names)
  return {
    ports: recordsOver(client, names),
    close: async () => {
      client.destroy()
      await close()
    },
  }
}

if (hasDynoxide()) recordContracts('DynamoDB', plain)
