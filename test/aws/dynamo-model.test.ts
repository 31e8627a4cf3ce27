import { createSystemClock } from '../../shared/platform/system/clock.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { OpenAdapter } from '../contract/open-adapter.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'
import { recordContracts } from './record-contracts.ts'

type Client = ModelDynamo['client']

/** A clock whose sleeps end immediately. */
const immediateClock = { now: createSystemClock().now, sleep: async () => undefined }

/**
 * Returns a client that executes every request and loses its first reply, so that all requests are
 * repeated.
 */
function withLostReplies({ send }: Client): Client {
  const lost = new Set<unknown>()
  const sendTwice = async (...args: Parameters<Client['send']>): Promise<unknown> => {
    const answer: unknown = await Promise.resolve(send(...args))
    const [command] = args
    // The unprocessed part of a batch is a request of its own.
    const requestKey = 'RequestItems' in command.input ? JSON.stringify(command.input) : command
    if (lost.delete(requestKey)) return answer
    lost.add(requestKey)
    throw Object.assign(new Error('the reply was lost'), { name: 'TimeoutError' })
  }
  return { send: sendTwice as Client['send'] }
}

const openOver =
  (wrap: (client: Client) => Client): OpenAdapter<RecordPorts> =>
  async () => {
    const model = createModelDynamo()
    const names = createTableNames()
    await createTables(model.client, names)
    return {
      ports: createTestRecords(wrap(model.client), names, immediateClock),
      close: async () => undefined,
    }
  }

recordContracts(
  'model of DynamoDB',
  openOver(client => client),
)
recordContracts('model of DynamoDB, replies lost', openOver(withLostReplies))
