/**
 * Approvals of requests in DynamoDB. A mistake here lets an attacker who controls the webhook
 * or schedule function deploy any archive of a stack.
 */
import { expect, test } from 'vitest'
import { createRequests } from '../../shared/platform/aws/dynamo/requests.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { toBlobHash, toEpochMs } from '../contract/open-adapter.ts'
import { listForbiddenUses, openRecordingDynamo } from './partition-uses.ts'

const [stack, otherStack] = [stackIdOf('shop', 'prod'), stackIdOf('shop', 'dev')]
const request: DeploymentRequest = {
  stack,
  key: 'k',
  at: toEpochMs(1),
  by: 'a test',
  dryRun: false,
  options: {
    command: 'up',
    parallel: 1,
    refresh: false,
    continueOnError: false,
    execute: 'functions',
    message: '',
  },
  program: { kind: 'archive', archive: toBlobHash('a') },
}

async function openRequests() {
  const { client, names, uses } = await openRecordingDynamo()
  const random = createSystemRandom()
  const clock = createSystemClock()
  const catalogTable = { client, clock, random, region: 'eu-test-1', name: names.catalog }
  return { requests: createRequests({ catalogTable, random }), uses }
}

test('an approval is for exactly one request of one stack, and lasts until its end', async () => {
  const { requests } = await openRequests()
  await requests.putAuthorized(request)
  const program = { kind: 'archive', archive: toBlobHash('b') } as const
  expect(await requests.isApproved(request)).toBe(true)
  expect(await requests.isApproved({ ...request, program })).toBe(false)
  expect(await requests.isApproved({ ...request, dryRun: true })).toBe(false)
  expect(await requests.isApproved({ ...request, key: 'other' })).toBe(false)
  expect(await requests.isApproved({ ...request, stack: otherStack })).toBe(false)
  await requests.end(stack, 'k', { kind: 'superseded', by: 'other' })
  expect(await requests.isApproved(request)).toBe(false)
})

test('a request that was put without an approval has none, and no later put approves it', async () => {
  const { requests } = await openRequests()
  await requests.put(request)
  expect(await requests.isApproved(request)).toBe(false)
  await requests.putAuthorized(request)
  expect(await requests.isApproved(request)).toBe(false)
})

test('a webhook and a schedule can neither approve a request nor set the program of a stack', async () => {
  const { requests, uses } = await openRequests()
  await requests.putAuthorized(request)
  await requests.putProgram(stack, toBlobHash('a'))
  // The approval and the program are items of the same partition.
  const approvals = [`approvals ${stack}`, `approvals ${stack}`].map(
    partition => `writes ${partition} of the catalog`,
  )
  for (const name of ['webhook', 'schedule'] as const)
    expect(listForbiddenUses(name, uses)).toEqual(approvals)
})
