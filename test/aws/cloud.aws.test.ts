/**
 * The local cloud: bundled functions as separate processes, connected only by the services and the
 * provider's cloud.
 */
import { randomBytes } from 'node:crypto'
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { deadLetterQueueOf, installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { createSqsClient } from '../../shared/platform/aws/clients.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../integration/otlp-receiver.ts'
import { type ExportedState, parseExport } from '../e2e/exported-state.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { secretText } from './stack-file.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterAll(() => bundles?.remove())

  describe.each(['0', '8'])(
    'with %s inline operations, a program with many features',
    inlineMax => {
      let sandbox: CloudSandbox
      let collector: OtlpReceiver
      let installation: string
      beforeEach(async () => {
        installation = `t${randomBytes(4).toString('hex')}`
        collector = await startOtlpReceiver()
        sandbox = await createCloudSandbox('shop', {
          aws: settings(),
          bundleOf: bundles.findBundle,
          settings: {
            'antichain:installation': installation,
            'antichain:inlineMax': inlineMax,
            'antichain:telemetryEndpoint': collector.url,
          },
          variables: { ANTICHAIN_KEEP_VERSIONS: '1' },
        })
      })
      afterEach(async () => {
        await sandbox?.remove()
        await collector.close()
      }, 120_000)

      test('is created, updated, refreshed and destroyed by bundled functions', {
        timeout: 600_000,
      }, async () => {
        const first = await sandbox.upload({ STEP: '1' })
        const second = await sandbox.upload({ STEP: '2' })
        const firstState = await deployStep('up', first)
        expect(idsOf(sandbox)).toEqual(['database-1', 'old-1', 'page-1', 'server-1'])
        expect(firstState.resources.map(({ name }) => name)).toContain('note')
        await deployStep('up', second)
        expect(idsOf(sandbox)).toEqual(['database-1', 'new-1', 'page-1', 'server-2'])
        const refreshed = await deployStep('refresh', second)
        expect(refreshed.resources.map(({ id }) => id)).toContain('server-2')
        const stateAfterDestroy = await deployStep('destroy', second)
        expect(stateAfterDestroy.resources).toEqual([])
        expect(idsOf(sandbox)).toEqual([])
        const changes = sandbox
          .listChanges()
          .map(({ call, urn }) => `${call} ${urn.split('::').at(-1)}`)
        expect(changes.toSorted()).toEqual(
          [
            ...['create database', 'create old', 'create page', 'create server'],
            ...['create new', 'create server', 'delete old', 'delete server', 'update page'],
            ...['delete database', 'delete new', 'delete page', 'delete server'],
          ].toSorted(),
        )
        expect(sandbox.readLog()).not.toContain(secretText)
        // A function sends its last spans after the deployment has ended.
        await vi.waitFor(() => expectOneTracePerDeployment(collector, inlineMax), 20_000)
        expect(collector.readBytes()).not.toContain(secretText)
        const folds = sandbox.calls.filter(({ name }) => name === 'compaction')
        expect(folds.map(({ outcome }) => outcome.kind)).toEqual(Array(4).fill('answered'))
        expect(sandbox.readLog()).not.toContain('compaction.uncalled')
        const { catalog } = sandbox.control.platform
        expect(await catalog.listVersions(sandbox.stack, 10)).toHaveLength(4)
        const tidied = await sandbox.cloud.invoke('compaction', { kind: 'tidy' })
        expect(tidied).toMatchObject({ kind: 'answered' })
        expect(sandbox.readLog()).not.toContain('"Problems"')
        await sendDeadLetter(installation)
        await sandbox.cloud.invoke('compaction', { kind: 'tidy' })
        await vi.waitFor(() => expect(sandbox.readLog()).toMatch(/"Problems":1\b/))
        expect(await catalog.listVersions(sandbox.stack, 10)).toHaveLength(1)
      })

      /** Sends a message to a dead-letter queue of an installation. */
      async function sendDeadLetter(name: string): Promise<void> {
        const sqs = createSqsClient(settings())
        const { notifications } = installationNamesOf(name).queues
        const { QueueUrl } = await sqs.send(
          new GetQueueUrlCommand({ QueueName: deadLetterQueueOf(notifications) }),
        )
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }))
        sqs.destroy()
      }

      /**
       * Runs a deployment that must succeed, and returns its state after checking that no secret is
       * in plaintext.
       */
      async function deployStep(command: Command, program: BlobHash): Promise<ExportedState> {
        const end = await sandbox.deploy(command, program, 240_000)
        expect(end.result, await sandbox.readDiagnostics(end.deployment)).toBe('succeeded')
        const text = await sandbox.exportState()
        expect(text).not.toContain(secretText)
        return parseExport(text)
      }
    },
  )
})

/** Expects the spans of four deployments, with those of the functions that ran operations. */
function expectOneTracePerDeployment(
  { spans, logs, metrics }: OtlpReceiver,
  inlineMax: string,
): void {
  const deployments = spans.filter(({ name }) => name.startsWith('deployment '))
  expect(new Set(deployments.map(({ traceId }) => traceId)).size).toBe(4)
  const operations = spans.filter(({ name }) => name === 'create gold:index:Thing')
  expect(operations.length).toBeGreaterThan(3)
  const deploymentIds = new Set(deployments.map(({ spanId }) => spanId))
  expect(operations.filter(({ parentSpanId }) => !deploymentIds.has(parentSpanId))).toEqual([])
  const senders = new Set(operations.map(({ resource }) => resource['antichain.function']))
  expect([...senders]).toEqual([inlineMax === '0' ? 'step-executor' : 'step-generator'])
  expect(logs).toContain('nudge.served')
  expect(metrics.has('faas.invoke_duration')).toBe(true)
  expect(metrics.has('antichain.chain.wait')).toBe(inlineMax === '0')
}

describeWithServices('a generator that parks', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  beforeAll(async () => {
    bundles = await createBundles()
    const limitMs = { 'step-generator': 30_000 }
    sandbox = await createCloudSandbox('many', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      limitMs,
      compactionIntervalMs: 10_000,
    })
  })
  afterAll(async () => {
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  test('reports that, and does not report the end of its program', {
    timeout: 400_000,
  }, async () => {
    const program = await sandbox.upload({ COUNT: '3', DELAY: '25000' })
    const end = await sandbox.deploy('up', program, 300_000)
    const diagnostics = await sandbox.readDiagnostics(end.deployment)
    expect(end.result, diagnostics).toBe('succeeded')
    expect(diagnostics).toContain('Generator 1 ')
    expect(diagnostics).not.toMatch(/SIGKILL|bug of the plugin|"severity":"error"/)
    // Compaction nudges a stack that is deployed, in case the nudge of its generator was lost.
    expect(sandbox.readLog()).toMatch(/stacks\.tidied.*"nudged":1/)
  })
})

function idsOf(sandbox: CloudSandbox): readonly string[] {
  return sandbox
    .listObjects()
    .map(({ id }) => id)
    .toSorted()
}
