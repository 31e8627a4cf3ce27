import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

// Checkpoints of clients without a journal. Each is the text of a state (verbatim), or edits of the
// previous text (a delta).

let service: TestService
let admin = ''
let path = ''
let lease = ''

beforeEach(async () => {
  service = await openTestService()
  admin = `token ${await service.issueToken('admin')}`
  ;({ path, lease } = await service.startUpdate(admin))
})

afterEach(() => service.close())

/** Returns a state as clients write it, with an input that has more bytes than characters. */
function textOf(...names: readonly string[]): string {
  const resources = names.map(name => ({
    urn: `urn:pulumi:dev::shop::my:index:Group::${name}`,
    custom: false,
    type: 'my:index:Group',
    inputs: { text: 'äöü' },
  }))
  const json = JSON.stringify({ version: 3, deployment: { manifest: {}, metadata: {}, resources } })
  return json.replace('"metadata"', '"exact":12345678901234567890.10,"metadata"')
}

/** Sends the text of a whole state. Returns the status of the response. */
async function sendVerbatim(text: string, sequenceNumber: number): Promise<number> {
  const body = `{"version":3,"untypedDeployment":${text},"sequenceNumber":${sequenceNumber}}`
  return (await service.call(lease, `PATCH ${path}/checkpointverbatim`, body)).status
}

interface Edit {
  readonly Span: { readonly uri: string; readonly start: object; readonly end: object }
  readonly NewText: string
}

function editOf(start: number, end: number, text: string): Edit {
  const pointOf = (offset: number): object => ({ line: 1, column: 1, offset })
  return { Span: { uri: '', start: pointOf(start), end: pointOf(end) }, NewText: text }
}

/** Returns a single edit that turns `before` into `after`. */
function diff(before: string, after: string): readonly Edit[] {
  const [from, to] = [Buffer.from(before), Buffer.from(after)]
  let [start, end] = [0, 0]
  while (start < Math.min(from.length, to.length) && from[start] === to[start]) start += 1
  const tailMax = Math.min(from.length, to.length) - start
  while (end < tailMax && from.at(-1 - end) === to.at(-1 - end)) end += 1
  const inserted = to.subarray(start, to.length - end).toString('utf8')
  return [editOf(start, from.length - end, inserted)]
}

async function sendDelta(
  edits: readonly Edit[],
  result: string,
  { sequenceNumber, call = service.call }: { sequenceNumber: number; call?: TestService['call'] },
): Promise<number> {
  const checkpointHash = createHash('sha256').update(result).digest('hex')
  const body = { version: 3, checkpointHash, sequenceNumber, deploymentDelta: edits }
  return (await call(lease, `PATCH ${path}/checkpointdelta`, body)).status
}

async function exportNames(): Promise<readonly (string | undefined)[]> {
  const { json } = await service.call(admin, `GET ${shopService}/export`)
  const { resources = [] } = json['deployment'] as { resources?: { urn: string }[] }
  return resources.map(({ urn }) => urn.split('::').at(-1))
}

const [one, two, three] = [textOf('a'), textOf('a', 'b'), textOf('a', 'b', 'c')]

test('a whole state keeps its unknown fields, without the field isInvalid of its request', async () => {
  const state = { ...JSON.parse(one), later: { kept: true } }
  const body = JSON.stringify({ isInvalid: false, ...state })
  expect((await service.call(lease, `PATCH ${path}/checkpoint`, body)).status).toBe(200)
  await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
  const { json } = await service.call(admin, `GET ${shopService}/export`)
  expect(json).not.toHaveProperty('isInvalid')
  expect(json).toMatchObject({ later: { kept: true } })
})

test.each(['{"version":3}', '{"version":3,"deployment":null}', '{"isInvalid":true,"version":0}'])(
  'the checkpoint %s is refused, and the stack keeps its state',
  async body => {
    await service.call(lease, `PATCH ${path}/checkpoint`, one)
    expect((await service.call(lease, `PATCH ${path}/checkpoint`, body)).status).toBe(400)
    expect((await service.call(lease, `POST ${path}/complete`, { status: 'failed' })).status).toBe(
      200,
    )
    expect(await exportNames()).toEqual(['a'])
  },
)

describe('checkpoint deltas', () => {
  test('refer to the bytes of the last checkpoint, in any process', async () => {
    expect(await sendVerbatim(one, 1)).toBe(200)
    const call = service.openProcess()
    expect(await sendDelta(diff(one, two), two, { sequenceNumber: 2, call })).toBe(200)
    expect(await sendDelta(diff(two, three), three, { sequenceNumber: 3 })).toBe(200)
    expect(await exportNames()).toEqual(['a', 'b', 'c'])
    expect(await sendDelta([], three, { sequenceNumber: 4, call })).toBe(200)
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    expect(await exportNames()).toEqual(['a', 'b', 'c'])
  })

  test('may be repeated', async () => {
    await sendVerbatim(one, 1)
    for (const status of [200, 200])
      expect(await sendDelta(diff(one, two), two, { sequenceNumber: 2 })).toBe(status)
    expect(await sendDelta(diff(two, three), three, { sequenceNumber: 3 })).toBe(200)
    expect(await exportNames()).toEqual(['a', 'b', 'c'])
  })

  test('that are invalid are refused without an effect, and the whole state may follow under their number', async () => {
    const edits = diff(one, two)
    expect(await sendDelta(edits, two, { sequenceNumber: 1 })).toBe(400)
    await sendVerbatim(one, 2)
    const refused: readonly (readonly Edit[])[] = [
      [editOf(0, one.length * 3, '')],
      [editOf(5, 4, '')],
      [editOf(0, 10, ''), editOf(9, 12, '')],
      [editOf(10, 12, ''), editOf(0, 1, '')],
      [editOf(-1, 1, '')],
      [],
    ]
    for (const wrong of refused)
      expect([wrong, await sendDelta(wrong, two, { sequenceNumber: 3 })]).toEqual([wrong, 400])
    expect(await sendDelta(edits, two, { sequenceNumber: 1 })).toBe(400)
    expect(await sendDelta(diff(one, '{}'), '{}', { sequenceNumber: 3 })).toBe(400)
    expect(await exportNames()).toEqual(['a'])
    expect(await sendVerbatim(two, 3)).toBe(200)
    expect(await sendVerbatim(one, 2)).toBe(400)
    expect(await exportNames()).toEqual(['a', 'b'])
  })

  test('stay in the state when the lease ends, and later ones are refused', async () => {
    await sendVerbatim(one, 1)
    await sendDelta(diff(one, two), two, { sequenceNumber: 2 })
    service.advanceClock(300_001)
    expect(await sendDelta(diff(two, three), three, { sequenceNumber: 3 })).toBe(403)
    await service.startUpdate(admin)
    expect(await exportNames()).toEqual(['a', 'b'])
  })

  test('keep the creates that began, although clients omit them', async () => {
    const { json } = await service.call(admin, `POST ${shopService}/update`, {})
    const other = `${shopService}/update/${String(json['updateID'])}`
    await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
    const started = await service.call(admin, `POST ${other}`, {})
    expect(started.json['journalVersion']).toBe(0)
    ;[path, lease] = [other, `update-token ${String(started.json['token'])}`]
    await sendVerbatim(one, 1)
    const eventOf = (sequence: number, kind: string, urn: string): object => {
      const state = { custom: true, inputs: { password: '[secret]' } }
      const metadata = { op: 'create', urn, type: 'gold:index:Thing', old: null, new: state }
      return { sequence, timestamp: 1, [kind]: { metadata } }
    }
    const events = [
      eventOf(1, 'resourcePreEvent', 'urn:ended'),
      eventOf(2, 'resourcePreEvent', 'urn:begun'),
      eventOf(3, 'resOutputsEvent', 'urn:ended'),
    ]
    for (const status of [200, 200]) {
      const stored = await service.call(lease, `POST ${path}/events/batch`, { events })
      expect(stored.status).toBe(status)
    }
    await sendDelta(diff(one, two), two, { sequenceNumber: 2 })
    const resource = { urn: 'urn:begun', custom: true, type: 'gold:index:Thing' }
    const pending = { resources: [{}, {}], pending_operations: [{ resource, type: 'creating' }] }
    const readDeployment = async (): Promise<unknown> =>
      (await service.call(admin, `GET ${shopService}/export`)).json['deployment']
    expect(await readDeployment()).toMatchObject(pending)
    service.advanceClock(300_001)
    await service.startUpdate(admin)
    expect(await readDeployment()).toMatchObject(pending)
    expect(JSON.stringify(await readDeployment())).not.toContain('[secret]')
  })
})
