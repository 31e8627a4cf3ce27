import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BlobHash,
  type DeploymentId,
  previewIdOf,
  stackIdOf,
} from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import { shop } from '../api/api.fixture.ts'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

const deployments = `${shopService}/deployments`
const holder = { host: 'here', pid: 1, started: '1', who: 'a generator' }

let service: TestService
let deploy = ''

beforeEach(async () => {
  service = await openTestService()
  deploy = `token ${await service.issueToken('deploy')}`
  await service.platform.requests.putProgram(shop, 'a'.repeat(64) as BlobHash)
})

afterEach(() => service.close())

/** The fields that Pulumi's command line always sends. */
const emptyFields = {
  inheritSettings: true,
  executorContext: { workingDirectory: '' },
  operationContext: { preRunCommands: [], operation: '', environmentVariables: {} },
  agentPoolID: null,
}

function post(operation: string, fields: object = {}, token = deploy) {
  return service.call(token, `POST ${deployments}`, { ...emptyFields, operation, ...fields })
}

async function listRequests(): Promise<readonly DeploymentRequest[]> {
  const waiting = await service.platform.requests.listWaiting(shop, 99)
  return waiting as readonly DeploymentRequest[]
}

const pathOf = (path: string): string =>
  path === '' || path.startsWith('?') ? `${deployments}${path}` : `${deployments}/${path}`

/** The members of responses that the tests read. */
type Reply = Partial<Record<'status' | 'lines' | 'nextToken' | 'total' | 'deployments', unknown>>

async function read(path: string): Promise<Reply> {
  const { status, json } = await service.call(deploy, `GET ${pathOf(path)}`)
  expect(status).toBe(200)
  return json
}

/** Starts the deployment of the only waiting request, as a generator does. */
async function start(): Promise<DeploymentId> {
  const { catalog, control, requests } = service.platform
  const [request] = await listRequests()
  const at = service.platform.clock.now()
  const launch = { command: request?.options.command ?? 'up', message: '', at } as const
  const { deployment } = await catalog.start(shop, launch)
  await control.create(deployment, holder)
  await requests.end(shop, request?.key ?? '', { kind: 'started', deployment })
  return deployment
}

async function release(deployment: DeploymentId, result: 'succeeded' | 'failed' | 'cancelled') {
  const at = service.platform.clock.now()
  const changes = { create: 1 }
  await service.platform.catalog.release(deployment, { at, result, changes, version: 1 })
}

const appendEvents = (deployment: DeploymentId, events: readonly object[], first = 0) =>
  service.platform.events.append(
    deployment,
    'writer',
    first,
    events.map(event => JSON.stringify(event)),
  )

describe('a request for a deployment', () => {
  test('becomes a request in the queue of the stack, with the next number', async () => {
    const operations = [
      'update',
      'preview',
      'refresh',
      'destroy',
      'detect-drift',
      'remediate-drift',
    ]
    for (const [index, operation] of operations.entries())
      expect(await post(operation)).toMatchObject({
        status: 200,
        json: { id: `dep-${index + 1}`, consoleUrl: '' },
      })
    const requests = await listRequests()
    expect(
      requests.map(({ dryRun, options }) => [options.command, dryRun, options.refresh]),
    ).toEqual([
      ['up', false, false],
      ['up', true, false],
      ['refresh', false, false],
      ['destroy', false, false],
      ['refresh', true, false],
      ['up', false, true],
    ])
    expect(new Set(requests.map(({ by, program }) => [by, program.kind].join()))).toEqual(
      new Set(['deploy (pulumi),last']),
    )
  })

  test('gets a number of its own, even among concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => post('preview')))
    const ids = responses.map(({ json }) => json['id'])
    expect(new Set(ids).size).toBe(8)
  })

  test('with the role deploy records the secrets manager of a stack without a state', async () => {
    const preview = `token ${await service.issueToken('preview')}`
    const readManager = async (): Promise<unknown> => {
      const key = { kind: 'stack-settings', scope: shop, name: 'service-manager' } as const
      return (await service.platform.documents.get(key))?.value
    }
    await post('preview', {}, preview)
    expect(await readManager()).toBeUndefined()
    await post('preview')
    const manager = {
      url: 'http://localhost',
      owner: 'organization',
      project: 'shop',
      stack: 'dev',
    }
    expect(await readManager()).toEqual(manager)
  })

  test('needs the role of its operation', async () => {
    const preview = `token ${await service.issueToken('preview')}`
    const reader = `token ${await service.issueToken('read')}`
    const foreign = `token ${await service.issueToken('deploy', ['other/dev'])}`
    for (const operation of ['preview', 'detect-drift'])
      expect((await post(operation, {}, preview)).status).toBe(200)
    for (const operation of ['update', 'refresh', 'destroy', 'remediate-drift'])
      expect((await post(operation, {}, preview)).status).toBe(403)
    expect((await post('preview', {}, reader)).status).toBe(403)
    expect((await post('update', {}, foreign)).status).toBe(403)
    expect(await listRequests()).toHaveLength(2)
  })

  const unsupported = [
    [{ executorContext: { executorImage: 'x' } }, 'executorContext.executorImage'],
    [{ operationContext: { preRunCommands: ['ls'] } }, 'operationContext.preRunCommands'],
    [
      { operationContext: { environmentVariables: { A: 'b' } } },
      'operationContext.environmentVariables.A',
    ],
    [
      { operationContext: { oidc: { aws: { roleArn: 'x' } } } },
      'operationContext.oidc.aws.roleArn',
    ],
    [
      { operationContext: { options: { deleteAfterDestroy: true } } },
      'operationContext.options.deleteAfterDestroy',
    ],
    [{ agentPoolID: 'pool' }, 'agentPoolID'],
    [{ sourceContext: { template: { sourceUrl: 'x' } } }, 'sourceContext.template.sourceUrl'],
    [{ 'a\u001b[2J': 1 }, 'a\\u{1b}[2J'],
  ] as const

  test('with a setting that would have no effect is refused, and changes nothing', async () => {
    for (const [fields, member] of unsupported) {
      const { status, json } = await post('update', fields)
      expect([status, json['code']]).toEqual([400, 400])
      expect(json['message']).toContain(`do not support '${member}'`)
    }
    expect(await listRequests()).toEqual([])
    expect((await read('')).deployments).toEqual([])
  })

  test('that is malformed, or for an unknown stack, or without a program, is refused', async () => {
    for (const operation of ['up', '', '__proto__', 7])
      expect((await post(operation as string)).status).toBe(400)
    expect((await service.call(deploy, `POST ${deployments}`, [])).status).toBe(400)
    expect((await service.call(deploy, `POST ${deployments}`)).status).toBe(400)
    const missing = '/api/stacks/organization/shop/missing/deployments'
    const body = { ...emptyFields, operation: 'update' }
    expect((await service.call(deploy, `POST ${missing}`, body)).status).toBe(404)
    const other = stackIdOf('shop', 'other')
    await service.platform.catalog.createStack(other, service.platform.clock.now())
    const path = '/api/stacks/organization/shop/other/deployments'
    const refused = await service.call(deploy, `POST ${path}`, body)
    expect([refused.status, refused.json['message']]).toEqual([
      400,
      expect.stringContaining('no program was uploaded') as string,
    ])
  })

  test('beyond the limit of the queue is refused, and is not listed', async () => {
    for (let index = 0; index < 100; index += 1) await post('preview')
    expect((await post('preview')).status).toBe(429)
    expect((await read('?pageSize=1')).total).toBe(100)
  })
})

describe('a deployment', () => {
  test('has a status, an update and a job that follow its request', async () => {
    await post('update')
    expect(await read('dep-1')).toMatchObject({
      id: 'dep-1',
      version: 1,
      status: 'accepted',
      pulumiOperation: 'update',
      projectName: 'shop',
      stackName: 'dev',
      updates: [],
      jobs: [],
      inheritSettings: true,
    })
    const deployment = await start()
    expect(await read('dep-1')).toMatchObject({
      status: 'running',
      updates: [{ updateID: 'deployment-1', result: 'in-progress', kind: 'update' }],
      jobs: [{ status: 'running', steps: [{ name: 'pulumi update', status: 'running' }] }],
    })
    expect(await read('dep-1/updates')).toEqual([
      { updateID: 'deployment-1', version: 0, latestVersion: 0 },
    ])
    await release(deployment, 'failed')
    expect(await read('version/1')).toMatchObject({
      id: 'dep-1',
      status: 'failed',
      updates: [{ result: 'failed', version: 1 }],
    })
  })

  test('is unknown in another stack, and under any other id', async () => {
    await post('update')
    const other = stackIdOf('shop', 'other')
    await service.platform.catalog.createStack(other, service.platform.clock.now())
    const foreign = '/api/stacks/organization/shop/other/deployments/dep-1'
    for (const path of [foreign, `${foreign}/logs`, `${foreign}/updates`])
      expect((await service.call(deploy, `GET ${path}`)).status).toBe(404)
    expect((await service.call(deploy, `POST ${foreign}/cancel`)).status).toBe(404)
    for (const id of [
      'dep-2',
      'dep-0',
      'dep-01',
      'dep-1e0',
      'dep-',
      '2',
      '01',
      'version/2',
      'version/x',
    ])
      expect((await service.call(deploy, `GET ${deployments}/${id}`)).status).toBe(404)
    expect(await read('1')).toMatchObject({ id: 'dep-1' })
    expect(await listRequests()).toHaveLength(1)
  })

  test('is listed in pages, newest first, or oldest first with asc', async () => {
    for (const operation of ['update', 'preview', 'destroy']) await post(operation)
    const idsOf = async (query: string): Promise<unknown> => {
      const { deployments: listed, ...fields } = await read(query)
      return [fields, (listed as { id: string }[]).map(({ id }) => id)]
    }
    const fields = { itemsPerPage: 2, total: 3 }
    expect(await idsOf('?pageSize=2')).toEqual([fields, ['dep-3', 'dep-2']])
    expect(await idsOf('?page=2&pageSize=2')).toEqual([fields, ['dep-1']])
    expect(await idsOf('?page=9&pageSize=2')).toEqual([fields, []])
    expect(await idsOf('?asc=true&pageSize=2')).toEqual([fields, ['dep-1', 'dep-2']])
    expect(await idsOf('?page=-1&pageSize=x')).toMatchObject([{ itemsPerPage: 10, total: 3 }, {}])
  })

  test('is removed with its stack, and a new stack with the same name continues the numbers', async () => {
    const admin = `token ${await service.issueToken('admin')}`
    await post('update')
    await service.platform.requests.end(shop, (await listRequests())[0]?.key ?? '', {
      kind: 'refused',
      code: 'PROJECT_INVALID',
      message: 'x',
    })
    expect((await service.call(admin, `DELETE ${shopService}`)).status).toBe(200)
    await service.platform.catalog.createStack(shop, service.platform.clock.now())
    expect((await read('')).total).toBe(0)
    expect((await service.call(deploy, `GET ${deployments}/dep-1`)).status).toBe(404)
    expect((await post('update')).json['id']).toBe('dep-2')
    expect((await read('')).total).toBe(1)
  })
})

describe('the log of a deployment', () => {
  const event = (sequence: number, payload: object) => ({ sequence, timestamp: 2, ...payload })
  const created = { resOutputsEvent: { metadata: { op: 'create', urn: 'urn:a' } } }
  const summary = { summaryEvent: { result: 'succeeded', resourceChanges: { create: 1 } } }

  test('has no lines before the begin, and then begins with a header and ends with the summary', async () => {
    await post('update')
    expect(await read('dep-1/logs')).toEqual({ lines: [], nextToken: 'w' })
    const deployment = await start()
    const [header, ...first] = (await read('dep-1/logs?continuationToken=w')).lines as object[]
    expect([header, first]).toEqual([
      { header: 'pulumi update', timestamp: expect.any(String) as string },
      [],
    ])
    await appendEvents(deployment, [event(0, created)])
    const part = await read('dep-1/logs?continuationToken=0')
    expect(part.lines).toEqual([{ timestamp: '1970-01-01T00:00:02.000Z', line: 'create urn:a\n' }])
    await release(deployment, 'succeeded')
    // The summary arrives after the end.
    const late = await read(`dep-1/logs?continuationToken=${String(part.nextToken)}`)
    expect(late).toEqual({ lines: [], nextToken: part.nextToken })
    await appendEvents(deployment, [event(1, summary)], 1)
    const last = await read(`dep-1/logs?continuationToken=${String(part.nextToken)}`)
    expect(last).toEqual({
      lines: [{ timestamp: '1970-01-01T00:00:02.000Z', line: 'succeeded: 1 create\n' }],
    })
  })

  test('of a step has the requested lines, and no header', async () => {
    await post('update')
    expect(await read('dep-1/logs?job=0&step=0')).toEqual({ lines: [] })
    const deployment = await start()
    const metadata = { op: 'create', urn: 'urn:a' }
    const events = Array.from({ length: 1_200 }, (_, index) =>
      event(index, { resOutputsEvent: { metadata: { ...metadata, urn: `urn:${index}` } } }),
    )
    await appendEvents(deployment, events)
    const linesOf = async (query: string): Promise<readonly (string | undefined)[]> => {
      const { lines } = await read(`dep-1/logs?${query}`)
      return (lines as { line?: string }[]).map(({ line }) => line)
    }
    expect(await linesOf('job=0&offset=600&count=2')).toEqual([
      'create urn:600\n',
      'create urn:601\n',
    ])
    expect(await linesOf('job=0&step=0')).toHaveLength(100)
    expect(await linesOf('job=1&step=0')).toEqual([])
    for (const query of ['job=0&count=500', 'job=0&count=0', 'job=x', 'job=0&offset=-1']) {
      const path = `GET ${deployments}/dep-1/logs?${query}`
      expect((await service.call(deploy, path)).status).toBe(400)
    }
  })

  test('ends some seconds after a deployment that has no summary', async () => {
    await post('update')
    await release(await start(), 'cancelled')
    const path = 'dep-1/logs?continuationToken=0'
    expect(await read(path)).toHaveProperty('nextToken')
    service.advanceClock(4_000)
    expect(await read(path)).not.toHaveProperty('nextToken')
  })

  test('of a refused request has code, message and hint', async () => {
    await post('update')
    const [request] = await listRequests()
    const message = 'no \u001b[31mprogram'
    const end = { kind: 'refused', code: 'PROJECT_NOT_FOUND', message } as const
    await service.platform.requests.end(shop, request?.key ?? '', end)
    const { lines, nextToken } = await read('dep-1/logs')
    expect(nextToken).toBeUndefined()
    expect((lines as { line: string }[]).map(({ line }) => line)).toEqual([
      'PROJECT_NOT_FOUND: no \\u{1b}[31mprogram\n',
      expect.stringMatching(/Pulumi\.yaml.*\n$/) as string,
    ])
    expect((await read('dep-1')).status).toBe('failed')
    expect(await read('dep-1/updates')).toEqual([])
    await post('update')
    const [second] = await listRequests()
    const hintedEnd = { ...end, hint: 'push the project file' } as const
    await service.platform.requests.end(shop, second?.key ?? '', hintedEnd)
    const hintedLogs = await read('dep-2/logs')
    expect(hintedLogs.lines).toMatchObject([{}, { line: 'push the project file\n' }])
  })

  test('of a preview follows its events, which clients also read as those of an update', async () => {
    await post('preview')
    const [request] = await listRequests()
    const key = request?.key ?? ''
    expect((await read('dep-1')).status).toBe('accepted')
    await appendEvents(previewIdOf(shop, key), [event(0, created), event(1, summary)])
    expect((await read('dep-1')).status).toBe('running')
    expect(await read('dep-1/updates')).toMatchObject([{ updateID: 'preview-1' }])
    const events = `${shopService}/update/preview-1/events`
    const { json } = await service.call(deploy, `GET ${events}`)
    expect(json).toMatchObject({ events: [created, summary], continuationToken: '2s' })
    const end = { kind: 'previewed', result: 'failed', changes: {}, errors: [] } as const
    await service.platform.requests.end(shop, key, end)
    const last = await service.call(deploy, `GET ${events}?continuationToken=2s`)
    expect(last.json).toEqual({ events: [], continuationToken: null })
    expect((await read('dep-1')).status).toBe('failed')
    expect((await service.call(deploy, `GET ${shopService}/update/preview-2/events`)).status).toBe(
      404,
    )
  })
})

describe('a cancel', () => {
  test('withdraws a waiting request, and may be repeated', async () => {
    await post('update')
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect((await service.call(deploy, `POST ${deployments}/dep-1/cancel`)).status).toBe(200)
    expect(await listRequests()).toEqual([])
    expect((await read('dep-1')).status).toBe('skipped')
  })

  test('stops a running deployment, and is refused for one that is over', async () => {
    await post('update')
    const deployment = await start()
    expect((await service.call(deploy, `POST ${deployments}/dep-1/cancel`)).status).toBe(200)
    expect((await service.platform.control.read(deployment))?.stop).toBe('graceful')
    await release(deployment, 'cancelled')
    expect((await service.call(deploy, `POST ${deployments}/dep-1/cancel`)).status).toBe(409)
  })

  test('is refused for a running preview, which then ends as usual', async () => {
    await post('preview')
    const [request] = await listRequests()
    const events = previewIdOf(shop, request?.key ?? '')
    await service.platform.events.append(events, 'w', 0, [JSON.stringify({ preludeEvent: {} })])
    expect((await service.call(deploy, `POST ${deployments}/dep-1/cancel`)).status).toBe(409)
    expect(await listRequests()).toHaveLength(1)
  })

  test('of a deployment needs the role deploy, of a preview the role preview', async () => {
    const preview = `token ${await service.issueToken('preview')}`
    await post('update')
    await post('preview')
    expect((await service.call(preview, `POST ${deployments}/dep-1/cancel`)).status).toBe(403)
    expect((await service.call(preview, `POST ${deployments}/dep-2/cancel`)).status).toBe(200)
    expect(await listRequests()).toHaveLength(1)
  })
})
