import { expect, test } from 'vitest'
import { createJournalHints } from '../../shared/platform/aws/dynamo/hints.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import { hintsContract } from '../contract/nudges.ts'
import { createDeploymentId, toOperationId } from '../contract/open-adapter.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames } from './records.ts'

/** Creates hints of several processes through one table, with the written items. */
async function createProcesses() {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const clock = createSystemClock()
  const random = createSystemRandom()
  const journalTable = {
    client: model.client,
    clock,
    random,
    region: 'eu-test-1',
    name: names.journal,
  }
  const open = () => createJournalHints({ journalTable, clock, random, logger: silentLogger })
  return { open, items: () => model.tables.listItems(names.journal) }
}

hintsContract('the journal', async () => {
  const { open } = await createProcesses()
  return { ports: { hints: open() }, close: async () => undefined }
})

test('a hint reaches the listeners of another process once, and concurrent hints share one item', async () => {
  const { open, items } = await createProcesses()
  const [here, there] = [open(), open()]
  const deployment = createDeploymentId()
  const received: OperationId[] = []
  const all = Promise.withResolvers<void>()
  const end = there.listen(deployment, operation => {
    received.push(operation)
    if (received.length === 3) all.resolve()
  })
  for (const id of [1, 2, 3]) here.hint(deployment, toOperationId(id))
  await all.promise
  await createSystemClock().sleep(2_500)
  end()
  expect(new Set(received)).toEqual(new Set([1, 2, 3]))
  expect(received).toHaveLength(3)
  expect(items()).toHaveLength(1)
}, 10_000)
