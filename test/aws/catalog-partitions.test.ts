/**
 * The partitions of the catalog that the webhook and schedule functions use in their work, compared
 * with the partitions that their roles allow. A missing permission appears on AWS only.
 */
import { expect, test } from 'vitest'
import { runDueSchedule } from '../../functions/schedule/run-due-schedule.ts'
import { answerWebhook } from '../../functions/webhook/answer-webhook.ts'
import {
  type DocumentKey,
  type SealingPort,
  sealingContextOf,
} from '../../shared/ports/documents.ts'
import { createCatalog } from '../../shared/platform/aws/dynamo/catalog.ts'
import { createDocuments } from '../../shared/platform/aws/dynamo/documents.ts'
import { createMarks } from '../../shared/platform/aws/dynamo/marks.ts'
import { createRequests } from '../../shared/platform/aws/dynamo/requests.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { deliverMessage } from '../../shared/triggers/notifications/deliver-message.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import {
  sealWebhook,
  webhookDraft,
  webhookKeyOf,
} from '../../shared/triggers/webhooks/webhook-document.ts'
import { listForbiddenUses, openRecordingDynamo } from './partition-uses.ts'

const stack = stackIdOf('shop', 'prod')
const secret = 'a secret of sixteen characters and more'
const plainSealing: SealingPort = { seal: async text => text, open: async text => text }
const clock = createSystemClock()

/** Opens the ports of triggers over a model of DynamoDB, and records the partitions in use. */
async function openPorts() {
  const { client, names, uses } = await openRecordingDynamo()
  const random = createSystemRandom()
  const catalogTable = {
    client,
    clock,
    random,
    region: 'eu-test-1',
    name: names.catalog,
  }
  const catalog = createCatalog({ catalogTable, journalTable: catalogTable, random })
  const ports = {
    catalog,
    requests: createRequests({ catalogTable, random }),
    documents: createDocuments({ table: catalogTable, random }),
    marks: createMarks({ catalogTable, random }),
    sealing: plainSealing,
    nudges: { nudge: async () => undefined },
    clock,
    logger: silentLogger,
    execute: 'functions' as const,
  }
  await catalog.createStack(stack, 1 as EpochMs)
  return { ports, uses }
}

test('a webhook that requests a deployment uses only the partitions of its role', async () => {
  const { ports, uses } = await openPorts()
  const rules = [{ on: 'push', repository: 'acme/shop', branches: ['main'], stack }]
  const draft = webhookDraft.parse({ form: 'signed', secrets: [secret], rules })
  const hook = await sealWebhook(plainSealing, 'hook', draft)
  await ports.documents.put(webhookKeyOf('hook'), hook, 0)
  uses.length = 0
  const commit = '0123456789abcdef0123456789abcdef01234567'
  const push = { event: 'push', repository: 'acme/shop', branch: 'main', commit }
  const body = Buffer.from(JSON.stringify(push))
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = new Map([
    ['antichain-delivery', 'one'],
    ['antichain-timestamp', timestamp],
    ['antichain-signature', `v1=${signatureOf(secret, timestamp, body)}`],
  ])
  const answer = await answerWebhook(ports, 'hook', { headers, body })
  expect(answer.status).toBe(202)
  expect(uses.filter(({ action }) => action === 'writes').length).toBeGreaterThan(3)
  expect(listForbiddenUses('webhook', uses)).toEqual([])
})

test('a due schedule and a notification use only the partitions of their role', async () => {
  const { ports, uses } = await openPorts()
  const scheduleKey: DocumentKey = { kind: 'schedule', scope: stack, name: 'night' }
  const schedule = scheduleDocument.parse({
    when: 'rate(5 minutes)',
    operation: { kind: 'refresh' },
    createdAt: 1,
  })
  await ports.documents.put(scheduleKey, schedule, 0)
  const notificationKey: DocumentKey = { kind: 'notification', scope: '*', name: 'chat' }
  const sealedSecret = await plainSealing.seal(secret, sealingContextOf(notificationKey))
  const notification = { url: 'https://chat.test/', secret: sealedSecret, events: ['started'] }
  await ports.documents.put(notificationKey, notification, 0)
  uses.length = 0
  expect(await runDueSchedule(ports, scheduleKey)).toBe('run')
  const deployment = deploymentIdOf(stack, 1)
  const event = { kind: 'started', stack, deployment, command: 'up', at: 1 as EpochMs } as const
  const delivered = await deliverMessage(
    {
      ...ports,
      outbound: {
        call: (_request, handleResponse) =>
          handleResponse({ status: 200, headers: new Map(), body: (async function* () {})() }),
      },
      notifications: { remove: async () => undefined, postpone: async () => undefined },
    },
    {
      message: { kind: 'notification', key: notificationKey, event },
      receipt: 'r',
      deliveries: 1,
    },
  )
  expect(delivered).toBe('delivered')
  expect(listForbiddenUses('schedule', uses)).toEqual([])
})

test.each(['webhook', 'schedule'] as const)(
  'the role of the function %s permits no access to tokens or to the audit log',
  name => {
    const table = 'catalog' as const
    const uses = ['documents token', 'audit 7 1', 'audit days', 'audited x'].flatMap(partition =>
      (['reads', 'writes', 'removes'] as const).map(action => ({ table, action, partition })),
    )
    expect(listForbiddenUses(name, uses)).toHaveLength(uses.length)
  },
)
