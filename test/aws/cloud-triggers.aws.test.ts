/**
 * Webhooks and schedules through the local cloud. A delivery arrives over HTTP and results in a
 * snapshot. A schedule is invoked and finds drift. The repository host and the receiver of
 * notifications are servers on loopback, which a setting allows here.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import {
  createPullRequestBody,
  createPushBody,
  sendWebhookDelivery,
  repository,
  signDelivery,
} from '../e2e/github-host.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { parseExport } from '../e2e/exported-state.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { CloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import {
  awaitRequest,
  createSiteRepository,
  createWebhookSandbox,
  webhookSecret as secret,
  type WebhookSandbox,
} from './webhook-sandbox.ts'

describeWithServices('triggers', ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER'], settings => {
  let webhook: WebhookSandbox
  let sandbox: CloudSandbox
  let github: WebhookSandbox['github']
  let firstCommit = ''

  beforeAll(async () => {
    webhook = await createWebhookSandbox(settings(), stack => [
      { on: 'push', repository, branches: ['main'], stack, folder: 'infra' },
      // The state of this stack has secrets, and its program names no preview role.
      { on: 'pull-request', repository, stack, folder: 'infra', previewWithDeployRole: true },
    ])
    ;({ sandbox, github } = webhook)
  }, 120_000)
  afterAll(() => webhook?.remove(), 120_000)

  /**
   * Creates a schedule that runs once, after a few seconds. The time is doubled if the machine was
   * too busy to create it before.
   */
  async function scheduleSoon(): Promise<number> {
    for (let inMs = 3_000; ; inMs *= 2) {
      const due = Math.ceil((Date.now() + inMs) / 1000) * 1000
      await webhook.callApi('PUT', '/v1/stacks/small/dev/schedules/drift', {
        when: `at(${new Date(due).toISOString().slice(0, 19)})`,
        operation: { kind: 'refresh' },
      })
      if (Date.now() < due) return due
    }
  }

  const listRuns = () => sandbox.control.platform.catalog.listHistory(sandbox.stack, 10)

  describe('a webhook', () => {
    test('deploys the commit of a push that GitHub signed, into a snapshot in the bucket', async () => {
      firstCommit = github.commit(createSiteRepository(1, sandbox.stackFile))
      const end = await webhook.sendAndAwait('push', createPushBody(firstCommit))
      expect(end, sandbox.readLog()).toMatchObject({ result: 'succeeded', changes: { create: 2 } })
      const state = parseExport(await sandbox.exportState())
      expect(state.resources.map(({ name }) => name)).toContain('thing')
      expect(sandbox.listObjects()).toMatchObject([{ props: { value: 1 } }])
      await waitUntil(() => github.listStatuses(firstCommit).length === 2, {
        condition: 'both statuses',
      })
      expect(github.listStatuses(firstCommit).map(({ state: statusText }) => statusText)).toEqual([
        'pending',
        'success',
      ])
    }, 300_000)

    test('starts one deployment for a repeated delivery, and none for a forged signature', async () => {
      const delivery = signDelivery(
        secret,
        'push',
        createPushBody(github.commit(createSiteRepository(1, sandbox.stackFile))),
      )
      const before = await listRuns()
      const forged = signDelivery(
        'another secret, of the same length',
        'push',
        createPushBody(firstCommit),
      )
      expect(await sendWebhookDelivery(webhook.webhookUrl, forged)).toMatchObject({
        status: 401,
        body: { code: 'WEBHOOK_REFUSED' },
      })
      const withOtherId = {
        ...delivery,
        headers: { ...delivery.headers, 'x-github-delivery': 'again' },
      }
      expect(await sendWebhookDelivery(webhook.webhookUrl, delivery)).toMatchObject({ status: 202 })
      expect(await sendWebhookDelivery(webhook.webhookUrl, delivery)).toMatchObject({
        body: { kind: 'repeated' },
      })
      expect(await sendWebhookDelivery(webhook.webhookUrl, withOtherId)).toMatchObject({
        body: { kind: 'repeated' },
      })
      const countRuns = async (): Promise<number> => (await listRuns()).length - before.length
      await waitUntil(async () => (await countRuns()) === 1, {
        condition: 'one deployment',
        limitMs: 120_000,
      })
      const isOver = async () => (await listRuns())[0]?.result !== undefined
      await waitUntil(isOver, { condition: 'its end', limitMs: 120_000 })
      expect(await sandbox.control.platform.requests.listWaiting(sandbox.stack, 10)).toEqual([])
      expect(await countRuns()).toBe(1)
    }, 300_000)

    test('cannot deploy an archive or the last program by a forged request', async () => {
      const { requests, nudges, clock } = sandbox.control.platform
      const { stack } = sandbox
      const forgedPrograms = [
        { kind: 'archive', archive: 'a'.repeat(64) as BlobHash },
        { kind: 'last' },
      ] as const
      for (const program of forgedPrograms) {
        const key = `forged ${program.kind}`
        const options = { command: 'up', parallel: 1, refresh: false, message: '' } as const
        const moreOptions = { continueOnError: false, execute: 'functions' } as const
        await requests.put({
          stack,
          key,
          at: clock.now(),
          by: 'webhook site',
          dryRun: false,
          program,
          options: { ...options, ...moreOptions },
        })
        await nudges.nudge(stack, 0)
        const end = await awaitRequest(sandbox, key)
        expect(end).toMatchObject({ kind: 'refused', code: 'REQUEST_UNAPPROVED' })
      }
    }, 300_000)

    test('previews a pull request, and answers with a status and a comment', async () => {
      const commit = github.commit(createSiteRepository(2, sandbox.stackFile))
      const runCount = (await listRuns()).length
      const end = await webhook.sendAndAwait('pull_request', createPullRequestBody(7, commit))
      expect(end, sandbox.readLog()).toMatchObject({ kind: 'previewed', result: 'succeeded' })
      await waitUntil(() => github.listComments().size === 1, { condition: 'a comment' })
      expect([...github.listComments().values()][0]).toContain(
        `Preview of \`${sandbox.stack}\` at \`${commit.slice(0, 8)}\` succeeded`,
      )
      expect([...github.listComments().values()][0]).toContain('thing')
      await waitUntil(() => github.listStatuses(commit).length > 0, { condition: 'a status' })
      expect(github.listStatuses(commit).at(-1)).toMatchObject({ state: 'success' })
      expect((await listRuns()).length).toBe(runCount)
      expect(sandbox.listObjects()).toMatchObject([{ props: { value: 1 } }])
    }, 300_000)
  })

  test('a schedule is invoked, finds drift, and sends a notification', async () => {
    const receiver = await startHttpReceiver()
    try {
      await webhook.callApi('PUT', '/v1/stacks/small/dev/notifications/ops', {
        url: `${receiver.origin}/drift`,
        events: ['drift'],
        secret,
      })
      driftObject(sandbox)
      const { version } = (await sandbox.control.platform.catalog.getStack(sandbox.stack)) ?? {}
      const due = await scheduleSoon()
      const key = `schedule drift ${due}`
      const end = await sandbox.control
        .awaitEnd(sandbox.stack, key, 120_000)
        .catch((thrown: unknown) => {
          throw new Error(sandbox.readLog(), { cause: thrown })
        })
      expect(end).toMatchObject({ kind: 'previewed', result: 'succeeded', changes: { update: 1 } })
      await waitUntil(() => receiver.received.length > 0, { condition: 'a notification' })
      const [notification] = receiver.received
      const { body = '', headers = {} } = notification ?? {}
      const timestamp = String(headers['antichain-timestamp'])
      expect(headers['antichain-signature']).toBe(`v1=${signatureOf(secret, timestamp, body)}`)
      expect(JSON.parse(body)).toMatchObject({
        event: 'deployment.drift',
        stack: sandbox.stack,
        request: key,
        count: 1,
        urns: [expect.stringContaining('::thing')],
      })
      // The schedule did not change the stack.
      expect((await sandbox.control.platform.catalog.getStack(sandbox.stack))?.version).toBe(
        version,
      )
      expect(receiver.received).toHaveLength(1)
    } finally {
      receiver.close()
    }
  }, 300_000)
})

/** Changes the object in the provider's cloud directly. */
function driftObject({ cloudFolder }: Pick<CloudSandbox, 'cloudFolder'>): void {
  const folder = join(cloudFolder, 'objects')
  const [name = ''] = readdirSync(folder)
  const object = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { props: object }
  writeFileSync(
    join(folder, name),
    JSON.stringify({ ...object, props: { ...object.props, value: 99 } }),
  )
}
