import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestApi } from '../api/api.fixture.ts'
import { entryOf, openTestService, shopService, type TestService } from './service.fixture.ts'

// Details on which Pulumi's command line depends, and which a service may easily miss.

let service: TestService
let admin = ''

beforeEach(async () => {
  service = await openTestService()
  admin = `token ${await service.issueToken('admin')}`
})

afterEach(() => service.close())

const stackState = {
  urn: 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev',
  custom: false,
  type: 'pulumi:pulumi:Stack',
}

/** Returns the state of a component, which needs no provider. */
function componentState(name: string): object {
  const urn = `urn:pulumi:dev::shop::my:index:Group::${name}`
  return { urn, custom: false, type: 'my:index:Group' }
}

/** Returns the two entries of a create, with consecutive sequence numbers. */
function createEntries(state: object, operationID: number, firstSequence: number): object[] {
  return [
    entryOf(0, firstSequence, { operationID, operation: { resource: state, type: 'creating' } }),
    entryOf(1, firstSequence + 1, { operationID, state }),
  ]
}

async function exportUrns(): Promise<readonly string[]> {
  const { json } = await service.call(admin, `GET ${shopService}/export`)
  const { resources = [] } = json['deployment'] as { resources?: { urn: string }[] }
  return resources.map(({ urn }) => urn)
}

describe('errors', () => {
  test('every error has its status as code', async () => {
    const responses = [
      await service.call(admin, 'GET /api/unknown'),
      await service.call(admin, 'GET /api/stacks/organization/shop/missing'),
      await service.call(admin, 'GET /api/stacks/another/shop/dev'),
      await service.call('token wrong', 'GET /api/user'),
      await service.call('', 'GET /api/user'),
      await service.call(admin, `PATCH ${shopService}/tags`, { tag: 1 }),
      await service.call(admin, `POST ${shopService}/update/none`, {}),
    ]
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 401, 401, 400, 404])
    for (const { status, json } of responses)
      expect(json).toMatchObject({ code: status, message: expect.any(String) as string })
  })

  test('a call with a wrong or expired lease gets the status 403', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const wrong = await service.call('update-token wrong', `POST ${path}/renew_lease`, {})
    expect([wrong.status, wrong.json['code']]).toEqual([403, 403])
    service.advanceClock(300_001)
    expect((await service.call(lease, `POST ${path}/renew_lease`, {})).status).toBe(403)
    expect(
      (await service.call(lease, `PATCH ${path}/journalentries`, { entries: [] })).status,
    ).toBe(403)
  })

  test('a batch that is too large once unpacked has the status 413', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const entries = [entryOf(0, 1, { filling: 'x'.repeat(65 * 1024 * 1024) })]
    const response = await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    expect([response.status, response.json['code']]).toEqual([413, 413])
  })

  test('the removal of a stack with resources is refused with the literal message that clients expect', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const entries = createEntries(stackState, 1, 1)
    await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    const refused = await service.call(admin, `DELETE ${shopService}?force=false`)
    const message = 'Bad Request: Stack still contains resources.'
    expect(refused).toEqual({ status: 400, json: { code: 400, message } })
    expect((await service.call(admin, `DELETE ${shopService}?force=true`)).status).toBe(200)
  })

  test('a second creation names the existing stack, and a second start the holder', async () => {
    const body = { stackName: 'dev' }
    const created = await service.call(admin, 'POST /api/stacks/organization/shop', body)
    expect(created.status).toBe(409)
    expect(created.json['message']).toContain('already exists')
    await service.startUpdate(admin)
    const other = await service.call(admin, `POST ${shopService}/update`, {})
    const path = `${shopService}/update/${String(other.json['updateID'])}`
    const started = await service.call(admin, `POST ${path}`, {})
    expect(started.status).toBe(409)
    // The SDKs of Pulumi recognize the text before the holder.
    expect(started.json['message']).toMatch(
      /^Conflict: Another update is currently in progress\. The stack is currently locked by deployment 1, .*began 0 s ago and is held by admin: pulumi up/,
    )
    const removed = await service.call(admin, `DELETE ${shopService}?force=true`)
    const renamed = await service.call(admin, `POST ${shopService}/rename`, { newName: 'other' })
    for (const { status, json } of [started, removed, renamed]) {
      expect(status).toBe(409)
      expect(json['message']).toMatch(/Wait until it has ended, or end it with `pulumi cancel`\.$/)
      expect(json['message']).not.toMatch(/--wait|antichain/)
    }
  })

  test('a rename to another organization is refused, and a rename within the current one is not', async () => {
    await service.startUpdate(admin)
    const rename = (newOrganization: string | null) =>
      service.call(admin, `POST ${shopService}/rename`, { newName: 'other', newOrganization })
    const { status, json } = await rename('acme')
    expect([status, json['code']]).toEqual([400, 400])
    expect(json['message']).toMatch(
      /the stack cannot be transferred to the organization 'acme': all stacks belong to 'organization'/,
    )
    // These renames are refused only because an update is running.
    for (const current of ['organization', '', null])
      expect((await rename(current)).status).toBe(409)
  })
})

describe('updates', () => {
  test('a dry run of any kind has a token, and changes nothing', async () => {
    for (const kind of ['update', 'preview', 'refresh', 'destroy']) {
      const { path, lease } = await service.startUpdate(admin, kind, { dryRun: true })
      expect(lease).toMatch(/^update-token .{40,}/)
      const entries = { entries: createEntries(stackState, 1, 1) }
      expect((await service.call(lease, `PATCH ${path}/journalentries`, entries)).status).toBe(403)
      const end = await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
      expect(end.status).toBe(200)
    }
    const { json } = await service.call(admin, `GET ${shopService}`)
    expect(json).toMatchObject({ version: 0, activeUpdate: '' })
    expect((await service.call(admin, `GET ${shopService}/updates`)).json).toEqual({ updates: [] })
  })

  test('repeated batches, events and reports of the end change nothing', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const batch = { entries: createEntries(stackState, 1, 1) }
    // Without a summary, clients would wait for late events.
    const summaryEvent = { result: 'succeeded', resourceChanges: { create: 1 } }
    const events = { events: [{ sequence: 0, timestamp: 1, summaryEvent }] }
    for (const repetition of [1, 2]) {
      const calls = [
        await service.call(lease, `PATCH ${path}/journalentries`, batch),
        await service.call(lease, `POST ${path}/events/batch`, events),
      ]
      expect([repetition, ...calls.map(({ status }) => status)]).toEqual([repetition, 200, 200])
    }
    for (const status of [200, 200]) {
      const end = await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
      expect(end.status).toBe(status)
    }
    const other = await service.call(lease, `POST ${path}/complete`, { status: 'failed' })
    expect(other.status).toBe(409)
    expect(await exportUrns()).toEqual([stackState.urn])
    const stored = await service.call(admin, `GET ${path}/events`)
    expect(stored.json['events']).toHaveLength(1)
    expect(stored.json['continuationToken']).toBeNull()
  })

  test('parameters type and urn select events, and pages without such events are skipped', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const { urn } = stackState
    const texts = Array.from({ length: 1_100 }, (_, sequence) => ({ sequence, stdoutEvent: {} }))
    const selected = [
      { sequence: 1_100, diagnosticEvent: { urn, message: 'low disk' } },
      { sequence: 1_101, policyEvent: { resourceUrn: urn, policyName: 'tags' } },
      { sequence: 1_102, policyEvent: { policyName: 'names' } },
    ]
    await service.call(lease, `POST ${path}/events/batch`, { events: [...texts, ...selected] })
    const read = async (query: string) =>
      (await service.call(admin, `GET ${path}/events?${query}`)).json['events']
    expect(await read('type=9')).toEqual(selected.slice(1))
    expect(await read('type=9&type=3')).toEqual(selected)
    expect(await read(`urn=${urn}`)).toEqual(selected.slice(0, 2))
    expect(await read(`type=9&urn=${urn}`)).toEqual([selected[1]])
    for (const name of ['latest', '1']) {
      const named = await service.call(admin, `GET ${shopService}/update/${name}/events?type=9`)
      expect(named.json['events']).toEqual(selected.slice(1))
    }
    expect((await service.call(admin, `GET ${shopService}/update/2/events`)).status).toBe(404)
    const unknown = await service.call(admin, `GET ${path}/events?type=policy`)
    expect([unknown.status, unknown.json['message']]).toEqual([
      400,
      expect.stringContaining("'policy' is not the code of an event kind"),
    ])
  })

  test('a page that is short because its events are large is not the last one', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const summaryEvent = { result: 'failed', resourceChanges: {} }
    const message = 'x'.repeat(1_000_000)
    for (const sequence of [0, 1, 2, 3, 4, 5])
      await service.call(lease, `POST ${path}/events/batch`, {
        events: [{ sequence, stdoutEvent: { message } }],
      })
    const events = [
      { sequence: 6, diagnosticEvent: {} },
      { sequence: 7, summaryEvent },
    ]
    await service.call(lease, `POST ${path}/events/batch`, { events })
    await service.call(lease, `POST ${path}/complete`, { status: 'failed' })
    const first = (await service.call(admin, `GET ${path}/events`)).json
    expect((first['events'] as object[]).length).toBeLessThan(6)
    const token = String(first['continuationToken'])
    const last = await service.call(admin, `GET ${path}/events?continuationToken=${token}`)
    expect((last.json['events'] as object[]).at(-1)).toEqual({ sequence: 7, summaryEvent })
    expect(last.json['continuationToken']).toBeNull()
    const selected = await service.call(admin, `GET ${path}/events?type=3`)
    expect(selected.json['events']).toEqual(events.slice(0, 1))
  })

  test('all pages of `latest` are of the update that was the latest at the first page', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const events = Array.from({ length: 501 }, (_, sequence) => ({ sequence, stdoutEvent: {} }))
    await service.call(lease, `POST ${path}/events/batch`, { events })
    const latest = `GET ${shopService}/update/latest/events`
    const token = String((await service.call(admin, latest)).json['continuationToken'])
    expect(token).toMatch(/^[\w-]+$/)
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    await service.startUpdate(admin)
    const { json } = await service.call(admin, `${latest}?continuationToken=${token}`)
    expect(json['events']).toEqual(events.slice(500))
    const unknown = await service.call(admin, `${latest}?continuationToken=99-0`)
    expect(unknown.status).toBe(404)
  })

  test('a repeated start is refused, and the stack is free when the lease has expired', async () => {
    const { path } = await service.startUpdate(admin)
    expect((await service.call(admin, `POST ${path}`, {})).status).toBe(409)
    service.advanceClock(300_001)
    await service.startUpdate(admin)
  })

  test('a running update has a continuation token that needs no escape', async () => {
    const { path } = await service.startUpdate(admin)
    for (const suffix of ['', '/events']) {
      const { json } = await service.call(admin, `GET ${path}${suffix}`)
      expect(json['continuationToken']).toMatch(/^[\w-]+$/)
    }
  })

  test('a running dry run has a continuation token until its end or that of its lease', async () => {
    const { path, lease } = await service.startUpdate(admin, 'preview')
    const readToken = async () =>
      (await service.call(admin, `GET ${path}/events`)).json['continuationToken']
    expect(await readToken()).toMatch(/^[\w-]+$/)
    const { path: abandoned } = await service.startUpdate(admin, 'preview')
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    expect(await readToken()).toBeNull()
    service.advanceClock(300_001)
    const { json } = await service.call(admin, `GET ${abandoned}/events`)
    expect(json['continuationToken']).toBeNull()
  })

  test('entries may arrive in any order and repeatedly, and refer to the exported base', async () => {
    const names = ['a', 'b', 'c', 'd']
    const first = await service.startUpdate(admin)
    const creates = names.flatMap((name, index) =>
      createEntries(componentState(name), index + 1, 2 * index + 1),
    )
    for (const entry of [...creates.toReversed(), ...creates])
      await service.call(first.lease, `PATCH ${first.path}/journalentries`, { entries: [entry] })
    await service.call(first.lease, `POST ${first.path}/complete`, { status: 'succeeded' })
    const urns = await exportUrns()
    expect(urns.map(urn => urn.at(-1))).toEqual(names)
    const second = await service.startUpdate(admin, 'destroy')
    expect(await exportUrns()).toEqual(urns)
    const entries = [
      entryOf(0, 1, { operationID: 1 }),
      entryOf(1, 2, { operationID: 1, removeOld: 1 }),
    ]
    await service.call(second.lease, `PATCH ${second.path}/journalentries`, { entries })
    // The state can be read while the update runs.
    expect((await exportUrns()).map(urn => urn.at(-1))).toEqual(['a', 'c', 'd'])
    await service.call(second.lease, `POST ${second.path}/complete`, { status: 'failed' })
    expect((await exportUrns()).map(urn => urn.at(-1))).toEqual(['a', 'c', 'd'])
  })

  test('an expired update keeps its entries, and the next start closes it', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const begun = componentState('begun')
    const entries = [
      ...createEntries(componentState('made'), 1, 1),
      entryOf(0, 3, { operationID: 2, operation: { resource: begun, type: 'creating' } }),
    ]
    await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    service.advanceClock(200_000)
    expect((await service.call(lease, `POST ${path}/renew_lease`, {})).status).toBe(200)
    service.advanceClock(299_000)
    expect((await service.call(lease, `POST ${path}/renew_lease`, {})).status).toBe(200)
    service.advanceClock(300_001)
    await service.startUpdate(admin)
    const { json } = await service.call(admin, `GET ${shopService}/export`)
    expect(json['deployment']).toMatchObject({
      resources: [{ urn: expect.stringContaining('made') as string }],
      pending_operations: [{ type: 'creating' }],
    })
    expect(
      (await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })).status,
    ).toBe(403)
    const { updates } = (await service.call(admin, `GET ${shopService}/updates`)).json
    expect(updates).toMatchObject([{ result: 'in-progress' }, { result: 'failed' }])
  })

  test('an expired update does not prevent the removal of its stack', async () => {
    await service.startUpdate(admin)
    const removal = `DELETE ${shopService}?force=true`
    expect((await service.call(admin, removal)).status).toBe(409)
    service.advanceClock(300_001)
    expect((await service.call(admin, removal)).status).toBe(200)
  })

  test('entries that reference absent states do not block the stack', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const entries = [
      ...createEntries(componentState('kept'), 1, 1),
      entryOf(1, 3, { operationID: 2, removeNew: 77 }),
      entryOf(1, 4, { operationID: 3, removeOld: 99 }),
    ]
    await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    const end = await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    expect(end.status).toBe(200)
    const { json } = await service.call(admin, `GET ${shopService}/export`)
    expect(json['deployment']).toMatchObject({
      resources: [{ urn: expect.stringContaining('kept') as string }],
      metadata: { integrity_error: { error: expect.stringContaining('77') as string } },
    })
    await service.startUpdate(admin)
  })

  test('of concurrent starts exactly one succeeds', async () => {
    const paths: string[] = []
    for (let count = 0; count < 5; count += 1) {
      const { json } = await service.call(admin, `POST ${shopService}/update`, {})
      paths.push(`${shopService}/update/${String(json['updateID'])}`)
    }
    const starts = await Promise.all(paths.map(path => service.call(admin, `POST ${path}`, {})))
    expect(starts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409, 409,
    ])
  })

  test('a cancel keeps every entry, ends the lease, and may be repeated', async () => {
    const { path, lease } = await service.startUpdate(admin)
    const entries = createEntries(stackState, 1, 1)
    await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    const active = (await service.call(admin, `GET ${shopService}`)).json['activeUpdate']
    expect(path.endsWith(String(active))).toBe(true)
    for (const status of [200, 200])
      expect((await service.call(admin, `POST ${path}/cancel`)).status).toBe(status)
    const late = await service.call(lease, `PATCH ${path}/journalentries`, { entries })
    expect(late.status).toBe(403)
    expect(await exportUrns()).toEqual([stackState.urn])
    expect((await service.call(admin, `GET ${path}`)).json).toMatchObject({ status: 'cancelled' })
  })
})

describe('states and secrets', () => {
  test('a decrypted batch has the ciphertexts as keys, and those of another stack are refused', async () => {
    const texts = ['', 'äö', 'b', 'b'].map(text => Buffer.from(text).toString('base64'))
    const sealed = await service.call(admin, `POST ${shopService}/batch-encrypt`, {
      plaintexts: texts,
    })
    const ciphertexts = sealed.json['ciphertexts'] as string[]
    expect(new Set(ciphertexts).size).toBe(4)
    const opened = await service.call(admin, `POST ${shopService}/batch-decrypt`, { ciphertexts })
    const expected = Object.fromEntries(ciphertexts.map((text, index) => [text, texts[index]]))
    expect(opened.json['plaintexts']).toEqual(expected)
    await service.call(admin, 'POST /api/stacks/organization/shop', { stackName: 'other' })
    const [ciphertext = ''] = ciphertexts
    const bytes = Buffer.from(ciphertext, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const foreign = [
      await service.call(admin, 'POST /api/stacks/organization/shop/other/decrypt', { ciphertext }),
      await service.call(admin, `POST ${shopService}/decrypt`, {
        ciphertext: bytes.toString('base64'),
      }),
    ]
    expect(foreign.map(({ status }) => status)).toEqual([400, 400])
  })

  test('the export of an empty stack has a version, and a manifest has its checksum', async () => {
    const empty = await service.call(admin, `GET ${shopService}/export`)
    expect(empty.json).toMatchObject({ version: 3, deployment: { manifest: { magic: '' } } })
    const { path, lease } = await service.startUpdate(admin)
    await service.call(lease, `PATCH ${path}/journalentries`, {
      entries: createEntries(stackState, 1, 1),
    })
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    const { json } = await service.call(admin, `GET ${shopService}/export`)
    const { manifest } = json['deployment'] as { manifest: { magic: string; version: string } }
    const { createHash } = await import('node:crypto')
    const digest = createHash('sha256').update(manifest.version).digest('hex')
    expect(manifest.magic).toBe(digest)
  })

  test('checkpoint deltas are not announced by default, and verbatim checkpoints keep pending operations', async () => {
    const { json } = await service.call(admin, 'GET /api/capabilities')
    const names = (json['capabilities'] as { capability: string }[]).map(item => item.capability)
    expect(names.filter(name => name.startsWith('delta'))).toEqual([])
    const { path, lease } = await service.startUpdate(admin)
    const pendingOperations = [{ resource: componentState('begun'), type: 'creating' }]
    const deployment = { manifest: {}, metadata: {}, resources: [stackState], pendingOperations }
    const body = { version: 3, untypedDeployment: { version: 3, deployment }, sequenceNumber: 1 }
    const stored = await service.call(lease, `PATCH ${path}/checkpointverbatim`, body)
    expect(stored.status).toBe(200)
    await service.call(lease, `POST ${path}/complete`, { status: 'failed' })
    const exported = await service.call(admin, `GET ${shopService}/export`)
    expect(exported.json['deployment']).toMatchObject({
      pending_operations: [{ type: 'creating' }],
    })
  })

  test('the default organization is that of all stacks', async () => {
    const { json } = await service.call(admin, 'GET /api/user/organizations/default')
    expect(json['GitHubLogin']).toBe('organization')
  })
})

describe('permissions', () => {
  test('each role allows the same as in our own API', async () => {
    const [read, preview, deploy, foreign] = [
      `token ${await service.issueToken('read')}`,
      `token ${await service.issueToken('preview')}`,
      `token ${await service.issueToken('deploy')}`,
      `token ${await service.issueToken('admin', ['shop/other'])}`,
    ]
    const statusOf = async (token: string, line: string, body?: object): Promise<number> =>
      (await service.call(token, line, body)).status
    expect(await statusOf(read, `GET ${shopService}/export`)).toBe(200)
    expect(await statusOf(read, `POST ${shopService}/preview`, {})).toBe(403)
    expect(await statusOf(preview, `POST ${shopService}/preview`, {})).toBe(200)
    expect(await statusOf(preview, `POST ${shopService}/update`, {})).toBe(403)
    expect(await statusOf(deploy, `POST ${shopService}/update`, {})).toBe(200)
    expect(await statusOf(deploy, `DELETE ${shopService}?force=true`)).toBe(403)
    const { json } = await service.call(admin, `POST ${shopService}/encrypt`, { plaintext: 'YQ==' })
    expect(await statusOf(preview, `POST ${shopService}/decrypt`, json)).toBe(403)
    expect(await statusOf(deploy, `POST ${shopService}/decrypt`, json)).toBe(200)
    expect(await statusOf(foreign, `GET ${shopService}/export`)).toBe(403)
    const list = await service.call(foreign, 'GET /api/user/stacks')
    expect(list.json['stacks']).toEqual([])
  })
})

test('an API that cannot close deployments answers clients with 404', async () => {
  const testApi = await openTestApi()
  const response = await testApi.app.request('/api/user')
  expect([response.status, await response.json()]).toMatchObject([404, { code: 404 }])
  await testApi.close()
})

describe('secrets managers', () => {
  const secret = {
    '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
    ciphertext: 'v1:AAAA:BBBB',
  }
  const managerEntry = (salt: string): object =>
    entryOf(6, 1, { secretsProvider: { type: 'passphrase', state: { salt } } })

  /** Runs an update with a passphrase manager that has this salt. Returns the status of its entries. */
  async function update(salt: string, entries: readonly object[] = []): Promise<number> {
    const { path, lease } = await service.startUpdate(admin)
    const allEntries = [managerEntry(salt), ...entries]
    const { status } = await service.call(lease, `PATCH ${path}/journalentries`, {
      entries: allEntries,
    })
    await service.call(lease, `POST ${path}/complete`, { status: 'failed' })
    return status
  }

  test('entries with another manager than that of the secrets in the state are refused', async () => {
    const state = { ...stackState, outputs: { key: secret } }
    expect(await update('first', createEntries(stackState, 1, 2))).toBe(200)
    expect(await update('second', createEntries(componentState('a'), 1, 2))).toBe(200)
    expect(await update('second', createEntries(state, 1, 2))).toBe(200)
    expect(await update('third')).toBe(409)
    const { json } = await service.call(admin, `GET ${shopService}/export`)
    expect(json['deployment']).toMatchObject({
      secrets_providers: { type: 'passphrase', state: { salt: 'second' } },
    })
    expect(await update('second')).toBe(200)
  })
})
