import { expect, test } from 'vitest'
import { createJournalHints } from '../../shared/platform/aws/dynamo/hints.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import { hintsContract } from '../contract/nudges.ts'
import { freshDeployment, operationId } from '../contract/opened.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, freshTables } from './records.ts'

/** Hints of several processes through one table, and what was written for them. */
async function processes() {
  const model = createModelDynamo()
  const names = freshTables()
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
  return { open, items: () => model.tables.all(names.journal) }
}

hintsContract('the journal', async () => {
  const { open } = await processes()
  return { ports: { hints: open() }, close: async () => undefined }
})

test('a hint reaches who listens in another process, once, and those of a moment are one item', async () => {
  const { open, items } = await processes()
  const [here, there] = [open(), open()]
  const deployment = freshDeployment()
  const heard: OperationId[] = []
  const all = Promise.withResolvers<void>()
  const end = there.listen(deployment, operation => {
    heard.push(operation)
    if (heard.length === 3) all.resolve()
  })
  for (const id of [1, 2, 3]) here.hint(deployment, operationId(id))
  await all.promise
  await createSystemClock().sleep(2_500)
  end()
  expect(new Set(heard)).toEqual(new Set([1, 2, 3]))
  expect(heard).toHaveLength(3)
  expect(items()).toHaveLength(1)
}, 10_000)
