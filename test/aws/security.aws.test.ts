/**
 * Attacks on a running installation. Its services store and receive no plaintext secret. An
 * attacker who can write to its queues gains nothing.
 */
import { randomUUID } from 'node:crypto'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { createToken } from '../../shared/api/issue-token.ts'
import {
  awsVariables,
  deadLetterQueueOf,
  type QueueName,
} from '../../shared/config/aws-resource-names.ts'
import { createSqsClient } from '../../shared/platform/aws/clients.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { createTriggerPlatform } from '../../shared/platform/aws/trigger-platform.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { type DeploymentId, stackIdOf } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import {
  sealWebhook,
  webhookDraft,
  webhookKeyOf,
} from '../../shared/triggers/webhooks/webhook-document.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { secretText } from './stack-file.ts'
import { listStoredBytes } from './list-stored-bytes.ts'
import { createSecretFinder } from './secret-finder.ts'
import { describeWithServices } from './describe-with-services.ts'

const webhookSecret = 'the secret of a webhook, long enough'
const secrets = {
  'a secret of the configuration': secretText,
  'a secret output of a provider': 'tok-sealed-token',
  'the passphrase': 'open sesame',
  'the secret of a webhook': webhookSecret,
  'the credential of a webhook': 'ghp_0123456789abcdefghij',
}

describeWithServices('security of an installation', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  const sentSecrets = new Map<string, Set<string>>()
  const byteCounts = new Map<string, number>()
  const sentFields = new Set<string>()
  let finder = createSecretFinder(secrets)
  let bundles: CloudBundles
  let proxy: CountingProxy
  let sandbox: CloudSandbox
  let token = ''
  const endedDeployments: DeploymentId[] = []

  const deployStep = async (command: Command, step: string): Promise<void> => {
    const end = await sandbox.deploy(command, await sandbox.upload({ STEP: step }), 240_000)
    expect(end.result, await sandbox.readDiagnostics(end.deployment)).toBe('succeeded')
    endedDeployments.push(end.deployment)
  }

  beforeAll(async () => {
    bundles = await createBundles()
    proxy = await startCountingProxy(settings(), (service, body) => {
      byteCounts.set(service, (byteCounts.get(service) ?? 0) + body.length)
      if (service === 'SQS') for (const field of parseSentFields(body)) sentFields.add(field)
      for (const name of finder.findIn(body))
        sentSecrets.set(service, (sentSecrets.get(service) ?? new Set()).add(name))
    })
    const functionAws = proxy.settings
    sandbox = await createCloudSandbox('shop', {
      aws: settings(),
      functionAws,
      bundleOf: bundles.findBundle,
    })
    token = await createWebhookAndToken()
    // A token is `act_<id>_<secret>`, and its secret begins at index 21.
    finder = createSecretFinder({ ...secrets, 'a token of the API': token.slice(21) })
    await deployStep('up', '1')
  }, 300_000)
  afterAll(async () => {
    await sandbox?.remove()
    await proxy?.close()
    bundles?.remove()
  }, 120_000)

  /**
   * Creates a webhook with secrets, and sends it a valid delivery and a forged one. Returns a new
   * token of the API.
   */
  async function createWebhookAndToken(): Promise<string> {
    const all = Object.keys(awsVariables) as (keyof typeof awsVariables)[]
    const resources = readAwsResources(sandbox.cloud.services.resourceVariables(all, 'short'))
    const platform = createTriggerPlatform({
      settings: proxy.settings,
      resources,
      logger: silentLogger,
    })
    const draft = webhookDraft.parse({
      form: 'signed',
      secrets: [webhookSecret],
      credential: secrets['the credential of a webhook'],
      rules: [{ on: 'push', repository: 'acme/other', branches: ['main'], stack: sandbox.stack }],
    })
    const sealed = await sealWebhook(platform.sealing, 'main', draft)
    expect(await platform.documents.put(webhookKeyOf('main'), sealed, 0)).toBe(1)
    const answer = await deliver(webhookSecret)
    expect(answer).toMatchObject({ statusCode: 200 })
    expect(await deliver('a forged secret, as long as it')).toMatchObject({ statusCode: 401 })
    const random = { uuid: randomUUID, bytes: sandbox.control.platform.random.bytes }
    const { token: text } = await createToken(
      { documents: platform.documents, random, clock: platform.clock },
      { name: 'ci', role: 'deploy' },
    )
    return text
  }

  /** Sends a delivery to the webhook function. */
  async function deliver(secret: string): Promise<unknown> {
    const commit = '0123456789abcdef0123456789abcdef01234567'
    const body = JSON.stringify({ event: 'push', repository: 'acme/x', branch: 'main', commit })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const outcome = await sandbox.cloud.invoke('webhook', {
      version: '2.0',
      rawPath: '/hooks/main',
      isBase64Encoded: false,
      body,
      requestContext: { http: { method: 'POST' } },
      headers: {
        'Antichain-Delivery': randomUUID(),
        'Antichain-Timestamp': timestamp,
        'Antichain-Signature': `v1=${signatureOf(secret, timestamp, body)}`,
      },
    })
    if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome))
    return JSON.parse(outcome.json)
  }

  const queueUrlOf = (queue: QueueName): string => sandbox.cloud.services.queues[queue].url

  /** Sends messages to a queue as an attacker who knows its address. */
  async function forge(QueueUrl: string, bodies: readonly unknown[]): Promise<void> {
    const sqs = createSqsClient(settings())
    for (const body of bodies) {
      const MessageBody = typeof body === 'string' ? body : JSON.stringify(body)
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    }
    sqs.destroy()
  }

  test('a forged message in a queue starts, repeats and changes nothing', {
    timeout: 300_000,
  }, async () => {
    const deployment = endedDeployments[0] ?? ''
    const [changesBefore, exported] = [sandbox.listChanges(), await sandbox.exportState()]
    const history = await sandbox.control.platform.catalog.listHistory(sandbox.stack, 10)
    const callsBefore = sandbox.calls.length
    const chains = [
      // Operations that have ended, that the log does not contain, of an unknown deployment, and of
      // an invalid one.
      { v: 1, deployment, operations: [1, 2, 3, 4, 5, 6, 7, 8] },
      { v: 1, deployment, operations: [99_999] },
      { v: 1, deployment: 'organization/shop/dev/99', operations: [1] },
      { v: 1, deployment: '../../etc/passwd', operations: [1] },
      { v: 1, deployment, operations: [-1] },
      // The operation itself instead of its id.
      { v: 1, deployment, operations: [{ kind: 'delete', urn: 'urn:x' }] },
      { v: 1, deployment, blob: '0'.repeat(64) },
      'rm -rf /\n{"v":1}',
    ]
    await forge(queueUrlOf('chains'), chains)
    const nudges = [
      { v: 1, stack: sandbox.stack },
      { v: 1, stack: stackIdOf('shop', 'somebody-elses') },
      { v: 1, stack: '../..', seen: { life: 'x', renewals: 1 } },
      { v: 1, stack: sandbox.stack, command: 'destroy' },
      'no json',
    ]
    await forge(queueUrlOf('nudges'), nudges)
    const isHandled = (): boolean =>
      sandbox.calls.length - callsBefore >= chains.length + nudges.length &&
      sandbox.cloud.functionNames.every(name =>
        sandbox.cloud.listEnvironments(name).every(environment => !environment.isBusy()),
      )
    await expect.poll(isHandled, { timeout: 240_000, interval: 200 }).toBe(true)
    expect(sandbox.listChanges()).toEqual(changesBefore)
    expect(await sandbox.exportState()).toBe(exported)
    expect(await sandbox.control.platform.catalog.listHistory(sandbox.stack, 10)).toEqual(history)
    // No log line contains text of a message.
    const lines = sandbox.readLog().split('\n')
    expect(lines.filter(line => line.startsWith('rm -rf'))).toEqual([])
    expect(sandbox.readLog()).not.toContain('rm -rf')
  })

  test('no secret is in plaintext in stored data, sent data, messages or logs of the services', {
    timeout: 600_000,
  }, async () => {
    await deployStep('up', '2')
    await deployStep('refresh', '2')
    const stored = await listStoredBytes(settings(), sandbox.cloud.services)
    const found = stored.flatMap(({ location, bytes }) =>
      [...finder.findIn(bytes)].map(name => `${location}: ${name}`),
    )
    expect(found).toEqual([])
    await deployStep('destroy', '2')
    const after = await listStoredBytes(settings(), sandbox.cloud.services)
    expect(after.flatMap(({ bytes }) => [...finder.findIn(bytes)])).toEqual([])
    expect(
      Object.fromEntries([...sentSecrets].map(([service, names]) => [service, [...names]])),
    ).toEqual({})
    expect([...finder.findIn(Buffer.from(sandbox.readLog()))]).toEqual([])
    // A message contains ids only, and no record contents.
    const allowedFields = ['v', 'deployment', 'operations', 'pool', 'stack', 'seen', 'dueAt']
    expect([...sentFields].filter(field => !allowedFields.includes(field))).toEqual([])
    expect([...sentFields]).toEqual(expect.arrayContaining(['deployment', 'operations', 'stack']))
    for (const service of ['DYNAMODB', 'SQS', 'S3', 'KMS'])
      expect(byteCounts.get(service) ?? 0, service).toBeGreaterThan(100)
    await checkFinder(stored)
  })

  /** Checks the finder itself: it finds names that are in plaintext, and planted secrets. */
  async function checkFinder(stored: Awaited<ReturnType<typeof listStoredBytes>>): Promise<void> {
    const nameFinder = createSecretFinder({
      urn: 'gold:index:Thing::database',
      stack: sandbox.stack,
    })
    const services = new Set(
      stored.flatMap(item =>
        nameFinder.findIn(item.bytes).size > 0 ? [item.location.split(' ')[0]] : [],
      ),
    )
    expect(services).toEqual(new Set(['DynamoDB', 'S3']))
    const { region, endpoints } = settings()
    const client = createDynamoClient({ region, endpoint: endpoints.DYNAMODB ?? '' })
    const [TableName] = Object.values(
      sandbox.cloud.services.resourceVariables(['journalTable'], 'short'),
    )
    const data = { B: gzipSync(`{"password":"${secretText}"}`) }
    const Item = { pk: { S: 'planted' }, sk: { S: 'planted' }, data }
    await client.send(new PutItemCommand({ TableName, Item }))
    client.destroy()
    // No function receives the dead letters.
    await forge(deadLetterQueueOf(queueUrlOf('notifications')), [{ token }])
    const planted = await listStoredBytes(settings(), sandbox.cloud.services)
    const found = planted.flatMap(({ location, bytes }) =>
      [...finder.findIn(bytes)].map(name => `${location.split(' ')[0]}: ${name}`),
    )
    expect(found).toContain('DynamoDB: a secret of the configuration')
    expect(found).toContain('SQS: a token of the API')
  }
})

/** Returns the fields of the messages in a request. */
function parseSentFields(body: Buffer): readonly string[] {
  const bodies = [...body.toString().matchAll(/"MessageBody":("(?:[^"\\]|\\.)*")/g)]
  return bodies.flatMap(([, text = '""']) => {
    try {
      return Object.keys(JSON.parse(JSON.parse(text) as string) as object)
    } catch {
      return []
    }
  })
}
