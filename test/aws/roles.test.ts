import { expect, test } from 'vitest'
import type { TableNames } from '../../shared/platform/aws/dynamo/table-definitions.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import { lateOutcomeKeyOf, type LateOutcome } from '../../shared/records/late-outcome.ts'
import type { Urn } from '../../shared/names/urn.ts'
import {
  toEpochMs,
  toExecutorId,
  createStackId,
  contractHolder,
  toOperationId,
  toOwnerToken,
} from '../contract/open-adapter.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

/** The API operations that a role may use on each table. */
type Role = Readonly<Record<'journal' | 'catalog', RegExp>>

const noOperations = /^$/
const readOperations = /^(Get|BatchGet|Query)/
const executorRole: Role = {
  journal: /^(Get|BatchGet|Query|Put|Update)/,
  catalog: readOperations,
}
const webhookRole: Role = {
  journal: noOperations,
  catalog: /^(Get|BatchGet|Query|Put|Update|TransactWrite)/,
}

/** Returns the client of the model with the permissions of a role. No role may remove an item. */
function withRole({ client }: ModelDynamo, names: TableNames, role: Role): ModelDynamo['client'] {
  const send = (async (...args: Parameters<typeof client.send>): Promise<unknown> => {
    const [command] = args
    const text = JSON.stringify(command.input)
    const allowed = text.includes(names.catalog) ? role.catalog : role.journal
    if (!allowed.test(command.constructor.name) || /"Delete(Request)?":/.test(text))
      throw Object.assign(new Error(command.constructor.name), { name: 'AccessDeniedException' })
    return client.send(...args)
  }) as ModelDynamo['client']['send']
  return { send }
}

test('an executor writes only to the journal, where only late outcomes and slow operations never expire', async () => {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const stack = createStackId()
  const admin = createTestRecords(model.client, names)
  await admin.catalog.createStack(stack, toEpochMs(1))
  const launch = { command: 'up', message: '', at: toEpochMs(1) } as const
  const { deployment } = await admin.catalog.start(stack, launch)
  const executor = createTestRecords(withRole(model, names, executorRole), names)
  await expect(executor.catalog.createStack(createStackId(), toEpochMs(1))).rejects.toMatchObject({
    code: 'STORE_DENIED',
  })

  const [operation, executorId, token] = [toOperationId(1), toExecutorId('e'), toOwnerToken('o')]
  const beginRequest = { owner: token, executor: executorId, expectedAttempt: 0, needs: 1 }
  await executor.leases.register(deployment, executorId, contractHolder)
  await executor.leases.renew(deployment, executorId, [])
  await executor.operations.arrive(deployment, operation, toOperationId(9))
  await executor.operations.begin(deployment, operation, beginRequest)
  await executor.operations.putOutcome(deployment, {
    operation,
    attempt: 1,
    verdict: 'succeeded',
    startedAt: toEpochMs(1),
    endedAt: toEpochMs(2),
  })
  const end = { owner: token, attempt: 1, verdict: 'succeeded' } as const
  await executor.operations.select(deployment, operation, end)
  await executor.events.append(deployment, 'e', 0, ['{}'])
  await executor.leases.retire(deployment, executorId)
  const late = lateOf(deployment)
  await executor.catalog.putLateOutcome(stack, late)
  await executor.catalog.recordSlowOperation(stack, 'create t:m:T', 7)

  expect(await admin.catalog.listLateOutcomes(stack, 9)).toEqual([late])
  expect(await admin.catalog.listSlowOperations(stack)).toEqual(new Map([['create t:m:T', 7]]))
  const unexpiringItems = model.tables
    .listItems(names.journal)
    .filter(item => item['expires'] === undefined)
  expect(new Set(unexpiringItems.map(item => item['pk']?.S))).toEqual(
    new Set([`late ${stack}`, `slow ${stack}`]),
  )
  await admin.catalog.removeLateOutcomes(stack, [lateOutcomeKeyOf(late)])
  const release = { at: toEpochMs(2), result: 'succeeded', changes: {}, version: 0 } as const
  await admin.catalog.release(deployment, release)
  await admin.catalog.removeStack(stack)
  await admin.retention.removeLeftovers()
  const remainingItems = model.tables
    .listItems(names.journal)
    .filter(item => item['expires'] === undefined)
  expect(remainingItems).toEqual([])
})

test('a webhook writes requests, marks and documents without deleting an item', async () => {
  const model = createModelDynamo()
  const names = createTableNames()
  await createTables(model.client, names)
  const { requests, marks, documents } = createTestRecords(
    withRole(model, names, webhookRole),
    names,
  )
  const stack = createStackId()
  expect(await requests.put({ ...request, stack })).toBe(true)
  expect(await requests.find(stack, 'k')).toEqual({ request: { ...request, stack } })
  expect(await marks.mark('a', toEpochMs(Date.now() + 60_000))).toBe(true)
  await marks.unmark('a')
  expect(await marks.isMarked('a')).toBe(false)
  const key = { kind: 'schedule', scope: stack, name: 'nightly' } as const
  expect(await documents.put(key, {}, 0)).toBe(1)
  expect(await documents.remove(key, 1)).toBe(true)
})

const request: Omit<DeploymentRequest, 'stack'> = {
  key: 'k',
  at: toEpochMs(1),
  by: 'a test',
  dryRun: false,
  program: { kind: 'last' },
  options: {
    command: 'up',
    parallel: 8,
    refresh: false,
    continueOnError: false,
    execute: 'functions',
    message: '',
  },
}

function lateOf(deployment: LateOutcome['deployment']): LateOutcome {
  return {
    deployment,
    operation: toOperationId(1),
    attempt: 1,
    urn: 'urn:pulumi:dev::p::t:m:T::n' as Urn,
    state: { urn: 'u', custom: true, type: 't:m:T', id: 'made' },
  }
}
