import { createSystemClock } from '../../shared/platform/system/clock.ts'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { Open } from '../contract/opened.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, freshTables, recordsOver } from './records.ts'
import { recordContracts } from './suites.ts'

type Client = ModelDynamo['client']

/** Pauses between repetitions cost nothing here. */
const hasty = { now: createSystemClock().now, sleep: async () => undefined }

/** Every request is done and its first reply lost, so that all are repeated. */
function losing({ send }: Client): Client {
  const lost = new Set<unknown>()
  const twice = async (...asked: Parameters<Client['send']>): Promise<unknown> => {
    const answer: unknown = await Promise.resolve(send(...asked))
    const [command] = asked
    // What is left of a batch is a request of its own.
    const name = 'RequestItems' in command.input ? JSON.stringify(command.input) : command
    if (lost.delete(name)) return answer
    lost.add(name)
    throw Object.assign(new Error('the reply was lost'), { name: 'TimeoutError' })
  }
  return { send: twice as Client['send'] }
}

const over =
  (between: (client: Client) => Client): Open<RecordPorts> =>
  async () => {
    const model = createModelDynamo()
    const names = freshTables()
    await createTables(model.client, names)
    return {
      ports: recordsOver(between(model.client), names, hasty),
      close: async () => undefined,
    }
  }

recordContracts(
  'model of DynamoDB',
  over(client => client),
)
recordContracts('model of DynamoDB, replies lost', over(losing))
