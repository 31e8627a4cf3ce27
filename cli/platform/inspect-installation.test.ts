import { describe, expect, test } from 'vitest'
import { inspectInstallation, type InspectionClients } from './inspect-installation.ts'

const target = { installation: 'site', region: 'eu-central-1', env: {} }

/** Creates services that respond by the name of the command, based on its input. */
function createClients(
  answers: Readonly<Record<string, (input: Record<string, string>) => unknown>>,
): InspectionClients {
  const send = async (command: object): Promise<never> => {
    const { input } = command as { input: Record<string, string> }
    const answer = answers[command.constructor.name]
    if (answer !== undefined) return answer(input) as never
    throw createFailure('ResourceNotFoundException')
  }
  const client = { send }
  return { tables: client, queues: client, objects: client, schedules: client }
}

const createFailure = (name: string): Error =>
  Object.assign(new Error(`${name} happened`), { name })

describe('inspectInstallation', () => {
  test('reports missing resources for every error name that services use', async () => {
    const inspection = await inspectInstallation(
      createClients({
        GetQueueUrlCommand: () => {
          throw createFailure('QueueDoesNotExist')
        },
        HeadBucketCommand: () => {
          throw createFailure('NotFound')
        },
      }),
      target,
      '1',
    )
    expect(inspection.tables.map(({ name, status }) => [name, status])).toEqual([
      ['site-journal', undefined],
      ['site-catalog', undefined],
    ])
    expect(inspection.queues.map(({ counts }) => counts)).toEqual(Array(5).fill(undefined))
    expect(inspection.bucket).toEqual({ name: 'site-1-eu-central-1', isThere: false })
  })

  test('counts delayed messages as waiting, and dead letters in any state', async () => {
    const inspection = await inspectInstallation(
      createClients({
        GetQueueUrlCommand: ({ QueueName }) => ({ QueueUrl: QueueName }),
        GetQueueAttributesCommand: ({ QueueUrl }) => ({
          Attributes: {
            ApproximateNumberOfMessages: '2',
            ApproximateNumberOfMessagesDelayed: QueueUrl?.endsWith('-dead') ? '0' : '3',
            ApproximateNumberOfMessagesNotVisible: '1',
          },
        }),
      }),
      target,
      '1',
    )
    expect(inspection.queues[0]).toEqual({
      name: 'site-chains',
      counts: { waiting: 5, held: 1, dead: 3 },
    })
  })

  test('reads the addresses from the tags of the schedule group', async () => {
    const arns: (string | undefined)[] = []
    const inspection = await inspectInstallation(
      createClients({
        ListTagsForResourceCommand: ({ ResourceArn }) => {
          arns.push(ResourceArn)
          return {
            Tags: [
              { Key: 'antichain:api-url', Value: 'https://a/' },
              { Key: 'antichain:service-url', Value: 'https://s/' },
            ],
          }
        },
      }),
      target,
      '1',
    )
    const { apiUrl, serviceUrl, webhookUrl } = inspection
    expect([apiUrl, serviceUrl, webhookUrl]).toEqual(['https://a/', 'https://s/', undefined])
    expect(arns).toEqual(['arn:aws:scheduler:eu-central-1:1:schedule-group/site-schedules'])
  })

  test('reads the groups from a tag, and reports their tables, queues and buckets', async () => {
    const inspection = await inspectInstallation(
      createClients({
        ListTagsForResourceCommand: () => ({
          Tags: [{ Key: 'antichain:groups', Value: 'payments shop' }],
        }),
        HeadBucketCommand: () => ({}),
      }),
      target,
      '1',
    )
    expect(Object.keys(inspection.groups)).toEqual(['payments', 'shop'])
    const { tables = [], queues = [], bucket } = inspection.groups['shop'] ?? {}
    expect(tables.map(({ name }) => name)).toEqual(['site_shop-journal', 'site_shop-catalog'])
    expect(queues.map(({ name }) => name)).toContain('site_shop-chains')
    expect(bucket).toEqual({ name: 'site-1-eu-central-1-shop', isThere: true })
  })

  test.each([
    [
      ['pay-chains', 'pay-chains-dead', 'pay-chains-long', 'a-chains-chains'],
      ['pay', 'a-chains'],
    ],
    [[], []],
  ])('finds the groups of an older version by their queues: %j', async (names, groups) => {
    const requests: object[] = []
    const inspection = await inspectInstallation(
      createClients({
        ListTagsForResourceCommand: () => ({ Tags: [{ Key: 'antichain:part', Value: 'main' }] }),
        ListQueuesCommand: input => {
          requests.push(input)
          return { QueueUrls: names.map(name => `https://sqs.test/1/site_${name}`) }
        },
      }),
      target,
      '1',
    )
    expect(requests).toEqual([{ QueueNamePrefix: 'site_', MaxResults: 1_000 }])
    expect(Object.keys(inspection.groups)).toEqual(groups)
    expect(inspection).not.toHaveProperty('areGroupsUnknown')
  })

  test('lists queues only without the tag of the groups, and reports a denial', async () => {
    const deny = () => {
      throw createFailure('AccessDenied')
    }
    for (const [key, areGroupsUnknown] of [
      ['antichain:groups', undefined],
      ['antichain:part', true],
    ] as const) {
      const clients = createClients({
        ListTagsForResourceCommand: () => ({ Tags: [{ Key: key, Value: '' }] }),
        ListQueuesCommand: deny,
      })
      const inspection = await inspectInstallation(clients, target, '1')
      expect([inspection.groups, inspection.areGroupsUnknown]).toEqual([{}, areGroupsUnknown])
    }
    const absent = await inspectInstallation(
      createClients({ ListQueuesCommand: deny }),
      target,
      '1',
    )
    expect(absent).not.toHaveProperty('areGroupsUnknown')
  })

  test('throws PLATFORM_PERMISSION_MISSING for a denied request', async () => {
    const clients = createClients({
      DescribeTableCommand: () => {
        throw createFailure('AccessDeniedException')
      },
    })
    await expect(inspectInstallation(clients, target, '1')).rejects.toMatchObject({
      code: 'PLATFORM_PERMISSION_MISSING',
    })
  })

  test('recognizes a denied request without an error name by its status', async () => {
    const clients = createClients({
      HeadBucketCommand: () => {
        throw Object.assign(createFailure('UnknownError'), { $metadata: { httpStatusCode: 403 } })
      },
    })
    await expect(inspectInstallation(clients, target, '1')).rejects.toMatchObject({
      code: 'PLATFORM_PERMISSION_MISSING',
    })
  })

  test('does not report a network failure as a missing installation', async () => {
    const clients = createClients({
      DescribeTableCommand: () => {
        throw createFailure('TimeoutError')
      },
    })
    await expect(inspectInstallation(clients, target, '1')).rejects.toMatchObject({
      code: 'PLATFORM_FAILED',
    })
  })
})
