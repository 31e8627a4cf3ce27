import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type DeploymentId,
  type EpochMs,
  type LogNumber,
  type WriterToken,
  stackIdOf,
} from '../../records/ids.ts'
import { openEmbeddedPlatform } from './embedded-platform.ts'
import { tryLock } from './store/store-lock.ts'
import { prepareStore } from './store/store-paths.ts'

const stack = stackIdOf('p', 's')
const deployment = `${stack}/1` as DeploymentId

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-platform-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('an unusable home', () => {
  test('the error names a file in the place of the home', async () => {
    const home = join(folder, 'home')
    writeFileSync(home, 'a file')
    await expect(openEmbeddedPlatform({ home })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(home),
    })
    expect(readFileSync(home, 'utf8')).toBe('a file')
  })

  test('the error names a folder in the place of the database', async () => {
    const database = join(folder, 'store', 'antichain.db')
    mkdirSync(database, { recursive: true })
    await expect(openEmbeddedPlatform({ home: folder })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { path: database },
    })
    rmSync(database, { recursive: true })
    await (await openEmbeddedPlatform({ home: folder })).close()
  })

  test('a file that is not a database is left unchanged', async () => {
    const database = join(folder, 'store', 'antichain.db')
    mkdirSync(join(folder, 'store'))
    writeFileSync(database, 'x'.repeat(5000))
    await expect(openEmbeddedPlatform({ home: folder })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { reason: 'it is not a database' },
    })
    expect(readFileSync(database, 'utf8')).toBe('x'.repeat(5000))
  })

  test('a store of a newer version is refused', async () => {
    await (await openEmbeddedPlatform({ home: folder })).close()
    const database = new DatabaseSync(join(folder, 'store', 'antichain.db'))
    database.exec('UPDATE schema SET version = 999')
    database.close()
    await expect(openEmbeddedPlatform({ home: folder })).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      details: { found: 999 },
    })
  })
})

test.each(['{"protocol":999,"schema":1,"pid":1}', 'null'])(
  'an owner that greets with %s has another version and gets no requests',
  async greeting => {
    const paths = prepareStore(folder)
    const lock = tryLock(paths.lock)
    const server = createServer(socket => socket.write(`${greeting}\n`)).listen(paths.socket)
    await once(server, 'listening')
    await expect(openEmbeddedPlatform({ home: folder })).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
    })
    server.close()
    lock?.release()
  },
)

test('a put removes expired documents, and no others', async () => {
  const platform = await openEmbeddedPlatform({ home: folder })
  const database = new DatabaseSync(join(folder, 'store', 'antichain.db'))
  const { documents } = platform
  const keyOf = (name: string) => ({ kind: 'token', scope: '*', name }) as const
  const put = (name: string, expiresAt: number) =>
    documents.putExpiring({
      key: keyOf(name),
      value: {},
      version: 0,
      expiresAt: expiresAt as EpochMs,
    })
  await put('living', Date.now() + 3_600_000)
  await documents.put(keyOf('endless'), {}, 0)
  for (let count = 0; count < 3; count += 1) await put(`expired-${count}`, 1 + count)
  await documents.put(keyOf('new'), {}, 0)
  const rows = database.prepare('SELECT name FROM document ORDER BY name').all()
  expect(rows.map(({ name }) => name)).toEqual(['endless', 'living', 'new'])
  database.close()
  await platform.close()
})

describe('the folders of the store', () => {
  test('are accessible to their user only', async () => {
    const home = join(folder, 'new', 'home')
    await using platform = await openEmbeddedPlatform({ home })
    expect(platform.getRole()).toBe('owner')
    for (const path of [home, join(home, 'store'), join(home, 'blobs')]) {
      expect(statSync(path).mode & 0o077).toBe(0)
    }
  })

  test('a home with a long path works too', async () => {
    const home = join(folder, 'x'.repeat(100), 'y'.repeat(100))
    await using owner = await openEmbeddedPlatform({ home })
    await using client = await openEmbeddedPlatform({ home })
    expect([owner.getRole(), client.getRole()]).toEqual(['owner', 'client'])
    expect(await client.catalog.createStack(stack, 1 as EpochMs)).toBe(true)
    expect(await owner.catalog.getStack(stack)).toMatchObject({ id: stack })
  })

  test('the socket is removed when the last process closes', async () => {
    const platform = await openEmbeddedPlatform({ home: folder })
    expect(existsSync(join(folder, 'store', 'socket'))).toBe(true)
    await platform.close()
    expect(existsSync(join(folder, 'store', 'socket'))).toBe(false)
  })
})

describe('while a store is open', () => {
  test('a full store refuses writes, stays readable, and stores nothing partially', async () => {
    await using platform = await openEmbeddedPlatform({ home: folder, storePagesMax: 60 })
    const append = (number: number) =>
      platform.decisionLog.append(deployment, {
        number: number as LogNumber,
        writer: 'w' as WriterToken,
        at: 0 as EpochMs,
        decisions: [
          { kind: 'phase', phase: 'program' },
          ...Array.from({ length: 500 }, createPhaseDecision),
        ],
      })
    let written = 0
    await expect(
      (async () => {
        for (; ; written += 1) await append(written)
      })(),
    ).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { reason: 'the disk is full', path: expect.stringContaining(folder) },
    })
    expect(written).toBeGreaterThan(0)
    expect(await platform.decisionLog.read(deployment, 0 as LogNumber, 100)).toHaveLength(written)
  })

  test('a deleted home causes an error, not a silent loss', async () => {
    await using platform = await openEmbeddedPlatform({ home: folder })
    rmSync(join(folder, 'store'), { recursive: true })
    await expect(platform.catalog.createStack(stack, 1 as EpochMs)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })

  test('closing completes pending requests, and later calls are refused', async () => {
    const platform = await openEmbeddedPlatform({ home: folder })
    const pending = platform.catalog.createStack(stack, 1 as EpochMs)
    await platform.close()
    await platform.close()
    expect(await pending).toBe(true)
    await expect(platform.catalog.getStack(stack)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })

  test('a client becomes the owner after the owner has closed', async () => {
    const owner = await openEmbeddedPlatform({ home: folder })
    await using client = await openEmbeddedPlatform({ home: folder })
    const pending = client.catalog.createStack(stack, 1 as EpochMs)
    await owner.close()
    expect(await pending).toBe(true)
    expect(await client.catalog.getStack(stack)).toMatchObject({ id: stack })
    expect(client.getRole()).toBe('owner')
  })

  test('with `nudgeUnfinished`, the first receive returns the stack whose deployment has not ended', async () => {
    const start = { command: 'up', message: '', at: 1 as EpochMs } as const
    await using platform = await openEmbeddedPlatform({ home: folder })
    await platform.catalog.createStack(stack, 1 as EpochMs)
    await platform.catalog.createStack(stackIdOf('p', 'idle'), 1 as EpochMs)
    await platform.catalog.start(stack, start)
    expect(await platform.nudges.receive(0)).toBeUndefined()
    await using resuming = await openEmbeddedPlatform({ home: folder, nudgeUnfinished: true })
    expect(await resuming.nudges.receive(0)).toBe(stack)
    expect(await resuming.nudges.receive(0)).toBeUndefined()
  })
})

function createPhaseDecision() {
  return { kind: 'phase', phase: 'program' } as const
}
