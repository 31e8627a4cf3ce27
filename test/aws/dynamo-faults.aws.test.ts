import { afterAll, expect } from 'vitest'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { OpenAdapter } from '../contract/open-adapter.ts'
import { createDraw } from '../sim/draw.ts'
import { hasDynoxide, openDynoxide } from './dynoxide.ts'
import { type DynamoFaultRule, createFaultyHandler } from './dynamo-faults.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'
import { recordContracts } from './record-contracts.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const seed = Number(process.env['ANTICHAIN_FAULT_SEED'] ?? 1)

const rules: readonly DynamoFaultRule[] = [
  { kind: 'lost', chance: 0.06 },
  { kind: 'conflict', chance: 0.05 },
  { kind: 'unprocessed', chance: 0.4 },
  { kind: 'broken', chance: 0.02 },
  { kind: 'throttled', chance: 0.01 },
  { kind: 'slow', chance: 0.01 },
]

/** All tests draw from one sequence, because a test with few requests may meet no fault. */
const draw = createDraw(seed)
let faultCount = 0

/** Opens ports whose requests meet faults. */
const openDisturbed: OpenAdapter<RecordPorts> = async () => {
  const { endpoint, close } = await openDynoxide()
  const { handler, counters } = createFaultyHandler({ draw, rules, inARowMax: 2 })
  const names = createTableNames()
  const quiet = createDynamoClient({ region: 'eu-test-1', endpoint, credentials })
  await createTables(quiet, names)
  quiet.destroy()
  const settings = { region: 'eu-test-1', endpoint, credentials, requestHandler: handler }
  const client = createDynamoClient(settings)
  return {
    ports: createTestRecords(client, names),
    close: async () => {
      client.destroy()
      await close()
      faultCount += [...counters.faults.values()].reduce((sum, count) => sum + count, 0)
    },
  }
}

if (hasDynoxide()) {
  recordContracts('DynamoDB with faults', openDisturbed)
  afterAll(() => expect(faultCount, 'faults struck').toBeGreaterThan(100))
}
