import { expect, test } from 'vitest'
import { lateKeyOf, type LateOutcome } from '../../shared/records/late.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { deploymentIdOf } from '../../shared/records/ids.ts'
import {
  epochMs,
  executorId,
  freshStack,
  holder,
  operationId,
  ownerToken,
} from '../contract/opened.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, freshTables, recordsOver } from './records.ts'

/** What the role of an executor may ask of each table: no write of the catalog, no removal. */
const mayAsk = {
  journal: /^(Get|BatchGet|Query|Put|Update|BatchWrite)/,
  catalog: /^(Get|BatchGet|Query)/,
} as const

test('all that an executor writes is in the journal, and nothing of it expires too early', async () => {
  const model = createModelDynamo()
  const names = freshTables()
  await createTables(model.client, names)
  const { send } = model.client
  const asExecutor = (async (...asked: Parameters<typeof send>): Promise<unknown> => {
    const [command] = asked
    const text = JSON.stringify(command.input)
    const may = text.includes(names.catalog) ? mayAsk.catalog : mayAsk.journal
    if (!may.test(command.constructor.name) || text.includes('DeleteRequest'))
      throw Object.assign(new Error(command.constructor.name), { name: 'AccessDeniedException' })
    return send(...asked)
  }) as ModelDynamo['client']['send']

  const stack = freshStack()
  const owner = recordsOver(model.client, names)
  await owner.catalog.createStack(stack, epochMs(1))
  const deployment = deploymentIdOf(stack, 1)
  const executor = recordsOver({ send: asExecutor }, names)
  await expect(executor.catalog.createStack(freshStack(), epochMs(1))).rejects.toMatchObject({
    code: 'STORE_DENIED',
  })

  const [operation, me, token] = [operationId(1), executorId('e'), ownerToken('o')]
  const claim = { owner: token, executor: me, attempt: 0, needs: 1 }
  await executor.leases.register(deployment, me, holder)
  await executor.leases.renew(deployment, me, [])
  await executor.operations.arrive(deployment, operation, operationId(9))
  await executor.operations.begin(deployment, operation, claim)
  await executor.operations.putOutcome(deployment, {
    operation,
    ...{ attempt: 1, verdict: 'succeeded', startedAt: epochMs(1), endedAt: epochMs(2) },
  })
  const end = { owner: token, attempt: 1, verdict: 'succeeded' } as const
  await executor.operations.select(deployment, operation, end)
  await executor.events.append(deployment, 'e', 0, ['{}'])
  await executor.leases.retire(deployment, me)
  const item = lateOf(deployment)
  await executor.catalog.putLate(stack, item)
  await executor.catalog.noteSlow(stack, 'create t:m:T', 7)

  expect(await owner.catalog.late(stack, 9)).toEqual([item])
  expect(await owner.catalog.slow(stack)).toEqual(new Map([['create t:m:T', 7]]))
  const kept = model.tables.all(names.journal).filter(one => one['expires'] === undefined)
  expect(kept.map(one => one['pk']?.S).toSorted()).toEqual([`late ${stack}`, `slow ${stack}`])
  await owner.catalog.removeLate(stack, [lateKeyOf(item)])
  await owner.catalog.removeStack(stack)
  const left = model.tables.all(names.journal).filter(one => one['expires'] === undefined)
  expect(left).toEqual([])
})

function lateOf(deployment: LateOutcome['deployment']): LateOutcome {
  return {
    ...{ deployment, operation: operationId(1), attempt: 1 },
    urn: 'urn:pulumi:dev::p::t:m:T::n' as Urn,
    state: { urn: 'u', custom: true, type: 't:m:T', id: 'made' },
  }
}
