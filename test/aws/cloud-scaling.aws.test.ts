/**
 * The scaler starts and ends a task of the long pool. It is a function of the local cloud, with the
 * permissions of the template.
 */
import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqsClient } from '../../shared/platform/aws/clients.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('the long pool', ['DYNAMODB', 'SQS', 'S3', 'KMS', 'ECS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  beforeAll(async () => {
    bundles = await createBundles()
    sandbox = await createCloudSandbox('many', { aws: settings(), bundleOf: bundles.findBundle })
  }, 240_000)
  afterAll(async () => {
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  const countScaled = (kind: string): number =>
    sandbox
      .readLog()
      .split('\n')
      .filter(line => line.includes('tasks.scaled') && line.includes(kind)).length

  test('starts a task for a sent message, and ends the idle task, which then calls the scaler', {
    timeout: 240_000,
  }, async () => {
    const { cloud } = sandbox
    const listPids = (): readonly number[] => cloud.listTaskPids('step-executor')
    expect(listPids()).toEqual([])
    const sqs = createSqsClient(settings())
    const QueueUrl = cloud.services.queues['chains-long'].url
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'no chain' }))
    const sent = { kind: 'sent', queue: 'chains-long', messages: 1 }
    expect(await cloud.invoke('scaler', sent)).toMatchObject({ kind: 'answered' })
    await waitUntil(() => listPids().length === 1, { condition: 'a task', limitMs: 30_000 })
    expect(cloud.listTaskPids('step-generator')).toEqual([])
    await waitUntil(() => sandbox.readLog().includes('message.unreadable'), {
      condition: 'a receive of the task',
      limitMs: 60_000,
    })

    // The message is held, so the task remains.
    const idle = { kind: 'idle', queue: 'chains-long' }
    expect(await cloud.invoke('scaler', idle)).toEqual({
      kind: 'answered',
      json: '{"chains-long":1}',
    })
    await sqs.send(new PurgeQueueCommand({ QueueUrl }))
    expect(await cloud.invoke('scaler', idle)).toEqual({
      kind: 'answered',
      json: '{"chains-long":0}',
    })
    sqs.destroy()
    const countCalls = (): number => sandbox.calls.filter(({ name }) => name === 'scaler').length
    const callsBefore = countCalls()
    await waitUntil(() => listPids().length === 0, { condition: 'no task', limitMs: 60_000 })
    await waitUntil(() => countCalls() > callsBefore, {
      condition: 'a call of the ended task',
      limitMs: 30_000,
    })
    expect([countScaled('sent'), countScaled('idle')]).toEqual([1, 1])
    expect(sandbox.takeDenials()).toEqual([])
  })
})
