/**
 * The scaler over the emulators of SQS and ECS: the handler of the function sets the desired number
 * of tasks of a service.
 */
import { DescribeServicesCommand, type ECSClient } from '@aws-sdk/client-ecs'
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openScaler } from '../../functions/scaler/open-scaler.ts'
import { serveScaling } from '../../functions/scaler/serve-scaling.ts'
import { createEcsServices } from '../../infra/local-cloud/ecs-services.ts'
import { awsVariables, longPoolServices } from '../../shared/config/aws-resource-names.ts'
import type { ScalerCall } from '../../shared/platform/aws/call-scaler.ts'
import { createEcsClient, createSqsClient } from '../../shared/platform/aws/clients.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('the scaler', ['SQS', 'ECS'], settings => {
  const cluster = `c-${randomUUID().slice(0, 8)}`
  let sqs: SQSClient
  let ecs: ECSClient
  let removeServices: () => Promise<void>
  const urls = { 'chains-long': '', 'nudges-long': '' }
  const queueNames = ['chains-long', 'nudges-long'] as const

  beforeAll(async () => {
    sqs = createSqsClient(settings())
    ecs = createEcsClient(settings())
    removeServices = (await createEcsServices(settings(), cluster)).remove
    for (const name of queueNames) {
      const command = new CreateQueueCommand({ QueueName: `${cluster}-${name}` })
      urls[name] = (await sqs.send(command)).QueueUrl ?? ''
    }
  })
  afterAll(async () => {
    for (const QueueUrl of Object.values(urls)) await sqs.send(new DeleteQueueCommand({ QueueUrl }))
    await removeServices()
    sqs.destroy()
    ecs.destroy()
  })

  /** Calls the scaler as its function does, with the variables of the template. */
  const scale = (call: ScalerCall) => {
    const env = {
      ...process.env,
      [awsVariables.installation]: cluster,
      [awsVariables.chainsLongQueue]: urls['chains-long'],
      [awsVariables.nudgesLongQueue]: urls['nudges-long'],
      [awsVariables.longTasksMax]: '3',
    }
    return serveScaling(openScaler(env), call)
  }
  const readDesired = async (): Promise<Readonly<Record<string, number | undefined>>> => {
    const command = new DescribeServicesCommand({
      cluster,
      services: Object.values(longPoolServices),
    })
    const { services = [] } = await ecs.send(command)
    return Object.fromEntries(
      services.map(({ serviceName, desiredCount }) => [serviceName, desiredCount]),
    )
  }
  const send = (name: (typeof queueNames)[number], DelaySeconds = 0) =>
    sqs.send(new SendMessageCommand({ QueueUrl: urls[name], MessageBody: '{}', DelaySeconds }))

  test('starts tasks for sent messages and removes them when nothing waits, for each queue apart', async () => {
    expect(await readDesired()).toEqual({ 'long-step-executor': 0, 'long-step-generator': 0 })
    await send('chains-long')
    await send('chains-long')
    // The call names one message, but the queue has two. The larger number counts.
    await scale({ kind: 'sent', queue: 'chains-long', messages: 1 })
    expect(await readDesired()).toEqual({ 'long-step-executor': 2, 'long-step-generator': 0 })

    // A received message is in delivery, so its task is not removed.
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: urls['chains-long'] }))
    await scale({ kind: 'idle', queue: 'chains-long' })
    expect(await readDesired()).toMatchObject({ 'long-step-executor': 2 })
    await sqs.send(new PurgeQueueCommand({ QueueUrl: urls['chains-long'] }))
    await scale({ kind: 'idle', queue: 'chains-long' })
    expect(await readDesired()).toMatchObject({ 'long-step-executor': 0 })
  })

  test('finds a message whose sender did not call, and one that met only busy tasks', async () => {
    await send('nudges-long')
    await scale({ kind: 'check' })
    expect(await readDesired()).toMatchObject({ 'long-step-generator': 1 })
    // The emulator counts the requested task as a running one, and no task receives the message.
    await scale({ kind: 'check' })
    expect(await readDesired()).toEqual({ 'long-step-executor': 0, 'long-step-generator': 2 })
    for (let count = 0; count < 3; count += 1) await scale({ kind: 'check' })
    expect(await readDesired()).toMatchObject({ 'long-step-generator': 3 })
  })

  test('starts a task for a message that is delayed, and keeps it', async () => {
    await send('chains-long', 300)
    await scale({ kind: 'check' })
    await scale({ kind: 'idle', queue: 'chains-long' })
    expect(await readDesired()).toMatchObject({ 'long-step-executor': 1 })
  })

  test('refuses another event, and an installation without the service', async () => {
    await expect(scale({ kind: 'tidy' } as never)).rejects.toThrow()
    const env = {
      ...process.env,
      [awsVariables.installation]: `${cluster}-missing`,
      [awsVariables.chainsLongQueue]: urls['chains-long'],
      [awsVariables.nudgesLongQueue]: urls['nudges-long'],
      [awsVariables.longTasksMax]: '3',
    }
    await expect(serveScaling(openScaler(env), { kind: 'check' })).rejects.toMatchObject({
      message: expect.stringContaining('service long-step'),
    })
  })
})
