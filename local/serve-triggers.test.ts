import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import { sealingContextOf } from '../shared/ports/documents.ts'
import type { DeploymentRequest } from '../shared/records/stack-request.ts'
import {
  findApproval,
  findStacksWithExpiredApprovals,
  putWaitingApproval,
} from '../shared/runtime/approvals/stored-approval.ts'
import { toBlobHash } from '../test/contract/open-adapter.ts'
import { type EpochMs, deploymentIdOf, stackIdOf } from '../shared/records/ids.ts'
import { startHttpReceiver } from '../shared/triggers/outbound/local-receiver.fixture.ts'
import { scheduleDocument } from '../shared/triggers/schedules/due-schedule.ts'
import { serveTriggers } from './serve-triggers.ts'

test('two servers run a due schedule once and deliver a notification once, until they are shut down', async () => {
  const home = mkdtempSync(join(tmpdir(), 'antichain-serve-'))
  const platform = await openEmbeddedPlatform({ home })
  const receiver = await startHttpReceiver()
  const shutdown = new AbortController()
  const { outbound } = receiver
  const serving = [1, 2].map(() =>
    serveTriggers(platform, { outbound, execute: 'elsewhere', shutdown: shutdown.signal }),
  )
  try {
    const stack = stackIdOf('shop', 'prod')
    await platform.catalog.createStack(stack, 1 as EpochMs)
    const createdAt = Date.now() - 3_600_000
    const draft = { when: 'rate(1 hour)', operation: { kind: 'up' }, createdAt }
    const scope = { kind: 'schedule', scope: stack } as const
    // An invalid schedule does not affect others.
    await platform.documents.put({ ...scope, name: 'a' }, { when: 'never' }, 0)
    await platform.documents.put({ ...scope, name: 'b' }, scheduleDocument.parse(draft), 0)
    expect(await platform.nudges.receive(10_000)).toBe(stack)
    expect(await platform.requests.listWaiting(stack, 10)).toMatchObject([
      { by: 'schedule b', options: { execute: 'elsewhere' } },
    ])
    const key = { kind: 'notification', scope: '*', name: 'chat' } as const
    const secret = await platform.sealing.seal('a secret that both know', sealingContextOf(key))
    const value = { url: `${receiver.origin}/chat`, secret, events: ['started'] }
    await platform.documents.put(key, value, 0)
    const event = { kind: 'started', stack, deployment: deploymentIdOf(stack, 1) } as const
    const started = { ...event, command: 'up', at: 1 as EpochMs }
    await platform.notifications.send([{ kind: 'notification', key, event: started }])
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(1)
  } finally {
    shutdown.abort()
    await Promise.all(serving)
    receiver.close()
    await platform.close()
    rmSync(home, { recursive: true })
  }
})

test('two servers report an expired approval once, to the receivers of approvals', async () => {
  const home = mkdtempSync(join(tmpdir(), 'antichain-expiry-'))
  const platform = await openEmbeddedPlatform({ home })
  const receiver = await startHttpReceiver()
  const shutdown = new AbortController()
  const { outbound } = receiver
  const { documents, requests, clock } = platform
  const stack = stackIdOf('shop', 'prod')
  await platform.catalog.createStack(stack, clock.now())
  const plan = toBlobHash('a')
  const expiresAt = (clock.now() - 1_000) as EpochMs
  const request: DeploymentRequest = {
    stack,
    key: 'k',
    at: 1 as EpochMs,
    by: 'webhook hook',
    dryRun: false,
    options: {
      command: 'up',
      parallel: 1,
      refresh: false,
      continueOnError: false,
      execute: 'here',
      message: '',
    },
    program: { kind: 'last' },
  }
  await requests.put(request)
  const approval = { expiresAt, plan }
  await requests.end(stack, 'k', {
    kind: 'previewed',
    result: 'succeeded',
    changes: {},
    errors: [],
    approval,
  })
  await putWaitingApproval(documents, stack, {
    request: 'k',
    command: 'up',
    message: '',
    by: 'webhook hook',
    at: 1 as EpochMs,
    expiresAt,
    changes: { create: 1 },
    plan,
  })
  const key = { kind: 'notification', scope: '*', name: 'chat' } as const
  const secret = await platform.sealing.seal('a secret that both know', sealingContextOf(key))
  const url = `${receiver.origin}/chat`
  await documents.put(key, { url, secret, events: ['approval'] }, 0)
  const serving = [1, 2].map(() =>
    serveTriggers(platform, { outbound, execute: 'elsewhere', shutdown: shutdown.signal }),
  )
  try {
    await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(1)
    const [got] = receiver.received
    expect(JSON.parse(got?.body ?? '')).toMatchObject({
      event: 'deployment.approval-expired',
      stack,
      request: 'k',
      expires: new Date(expiresAt).toISOString(),
    })
    await expect
      .poll(async () => (await findApproval(documents, stack, 'k'))?.approval.isExpiryReported)
      .toBe(true)
    expect(await findStacksWithExpiredApprovals(documents, clock.now())).toEqual([])
  } finally {
    shutdown.abort()
    await Promise.all(serving)
    receiver.close()
    await platform.close()
    rmSync(home, { recursive: true })
  }
  expect(receiver.received).toHaveLength(1)
})
