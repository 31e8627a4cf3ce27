/**
 * An archive is run only for the stack to which it was uploaded. The cases are the routes that name
 * an archive. A route without the check would let a token of one stack run the program of another.
 */
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sweepBlobs } from '../../shared/engine/deployment/retention/sweep-blobs.ts'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import { type BlobHash, type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'

const victim = stackIdOf('bank', 'prod')
const program = Buffer.from('the program of the bank')
const hashOf = (bytes: Uint8Array): BlobHash =>
  createHash('sha256').update(bytes).digest('hex') as BlobHash

const routesWithArchive: readonly (readonly [string, (archive: string) => object])[] = [
  [`PUT ${shopPath}/program`, archive => ({ archive })],
  [`POST ${shopPath}/deployments`, archive => ({ command: 'up', archive })],
  [`POST ${shopPath}/deployments`, archive => ({ command: 'destroy', archive })],
  [`POST ${shopPath}/previews`, archive => ({ command: 'up', archive })],
]

let api: TestApi
let token: string
beforeEach(async () => {
  api = await openTestApi()
  await api.platform.catalog.createStack(victim, 1 as EpochMs)
  token = await api.issueToken('deploy', ['shop/dev'])
})
afterEach(() => api.close())

const sendArchive = (route: number, archive: string): Promise<Response> => {
  const [line = '', bodyOf = () => ({})] = routesWithArchive[route] ?? []
  return api.call(token, line, bodyOf(archive))
}

/** Expects that the archive is unknown to every route, and that nothing was recorded. */
async function expectUnknown(archive: string): Promise<void> {
  for (const route of routesWithArchive.keys()) {
    const response = await sendArchive(route, archive)
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: 'ARCHIVE_UNKNOWN' },
    ])
  }
  expect(await api.platform.requests.getProgram(shop)).toBeUndefined()
  expect(await api.platform.requests.listWaiting(shop, 10)).toEqual([])
}

test('every route that names an archive accepts one of its own stack', async () => {
  const { platform } = api
  const name = await platform.archives.put(shop, program)
  for (const route of routesWithArchive.keys())
    expect((await sendArchive(route, hashOf(program))).ok).toBe(true)
  expect(await platform.requests.getProgram(shop)).toBe(name)
  const requests = await platform.requests.listWaiting(shop, 10)
  expect(requests).toMatchObject(
    [1, 2, 3].map(() => ({ program: { kind: 'archive', archive: name } })),
  )
})

test('the archive of another stack is unknown, by its SHA-256 and by its name', async () => {
  const name = await api.platform.archives.put(victim, program)
  await expectUnknown(hashOf(program))
  await expectUnknown(name)
  await expectUnknown(archiveNameOf(shop, hashOf(program)))
})

test('another blob of the store, such as a snapshot, is no archive', async () => {
  await expectUnknown(await api.platform.blobs.put(Buffer.from('{"snapshot":1}')))
  await expectUnknown('f'.repeat(64))
})

test('a stack gets the archive of another one only by uploading its bytes', async () => {
  await api.platform.archives.put(victim, program)
  const archive = hashOf(program)
  const address = await api.call(token, `POST ${shopPath}/programs`, { archive, bytes: 23 })
  expect(await address.json()).toMatchObject({ isThere: false })
  await expectUnknown(archive)
  await api.call(token, `PUT ${shopPath}/programs/${archive}`, Buffer.from('other bytes'))
  await expectUnknown(archive)
  await api.call(token, `PUT ${shopPath}/programs/${archive}`, program)
  expect((await sendArchive(0, archive)).status).toBe(200)
})

test('an archive that no record names is swept, and a new upload that a record names is kept', async () => {
  const { platform } = api
  const sweepAt = (days: number) => {
    const clock = { ...platform.clock, now: () => (Date.now() + days * 86_400_000) as EpochMs }
    return sweepBlobs({ ...platform, clock }, { dryRun: false })
  }
  const archive = hashOf(program)
  await platform.archives.put(shop, program)
  expect(await sweepAt(2)).toMatchObject({ setAside: 1, removed: 0 })
  // A later sweep removes the archive that this one set aside, so a request must not use it.
  await expectUnknown(archive)
  await platform.archives.put(shop, program)
  expect((await sendArchive(0, archive)).status).toBe(200)
  await sweepAt(4)
  await sweepAt(6)
  const name = archiveNameOf(shop, archive)
  expect(Buffer.from(await platform.archives.get(shop, name))).toEqual(program)
  const stored = await api.call(token, `GET ${shopPath}/program`)
  expect(await stored.json()).toEqual({ archive })
})
