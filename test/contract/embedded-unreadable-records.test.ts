import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openEmbeddedPlatform } from '../../shared/platform/embedded/embedded-platform.ts'
import type { DocumentKey } from '../../shared/ports/documents.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import { createStackId } from './open-adapter.ts'
import {
  defineUnreadableRecordsContract,
  type StoredKind,
  type TamperablePlatform,
  type Tampering,
} from './unreadable-records.ts'

/** The column of each table in which a damage writes truncated JSON. It is no valid hash either. */
const damagedColumns: Readonly<Partial<Record<StoredKind, string>>> = {
  log: 'record',
  head: 'arrived',
  outcome: 'outcome',
  control: 'holder',
  lease: 'holder',
  stack: 'snapshot',
  history: 'begun',
  snapshot: 'blob',
  late: 'item',
  request: 'request',
}

function createTampering(path: string): Tampering {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 5000')
  const findKey = (kind: StoredKind, deployment: DeploymentId): readonly [string, string] => {
    const { stack } = deploymentPartsOf(deployment)
    if (kind === 'stack') return ['id', stack]
    if (['history', 'snapshot', 'late', 'request'].includes(kind)) return ['stack', stack]
    return ['deployment', deployment]
  }
  const change = (kind: StoredKind, deployment: DeploymentId, assignment: string): void => {
    const [column, key] = findKey(kind, deployment)
    database.prepare(`UPDATE ${kind} SET ${assignment} WHERE ${column} = ?`).run(key)
  }
  return {
    markNewer: (kind, deployment) => change(kind, deployment, 'format = 2'),
    damage(kind, deployment) {
      const column = damagedColumns[kind]
      if (column === undefined) return false
      change(kind, deployment, `${column} = '{"cut'`)
      return true
    },
    // An event is a text that the store does not parse.
    kindsWithoutDamage: ['event'],
    kindsWithUncheckedWrites: [],
    removeLogRecord: (deployment, number) =>
      void database
        .prepare('DELETE FROM log WHERE deployment = ? AND number = ?')
        .run(deployment, number),
    readRaw(kind, deployment) {
      const [column, key] = findKey(kind, deployment)
      return database.prepare(`SELECT * FROM ${kind} WHERE ${column} = ?`).all(key)
    },
  }
}

const openTamperable = (isOwner: boolean) => async (): Promise<TamperablePlatform> => {
  const home = mkdtempSync(join(tmpdir(), 'antichain-contract-'))
  const platforms = [await openEmbeddedPlatform({ home })]
  if (!isOwner) platforms.unshift(await openEmbeddedPlatform({ home }))
  const [ports] = platforms
  if (ports === undefined) throw new Error('no platform was opened')
  const close = async (): Promise<void> => {
    for (const platform of platforms) await platform.close()
    rmSync(home, { recursive: true })
  }
  return { ports, close, tampering: createTampering(join(home, 'store', 'antichain.db')) }
}

defineUnreadableRecordsContract('embedded, owner', openTamperable(true))
defineUnreadableRecordsContract('embedded, over the socket', openTamperable(false))

// Otherwise the removal of a stack would remove the damaged record, or overwrite it.
test.each([
  ['history record', 'history', 'ended', 'stack'],
  ['stack record', 'stack', 'targeted', 'id'],
])('a stack is not removed while the JSON of its %s is damaged', async (label, ...location) => {
  const [table, column, keyColumn] = location
  const home = mkdtempSync(join(tmpdir(), 'antichain-contract-'))
  const platform = await openEmbeddedPlatform({ home })
  const database = new DatabaseSync(join(home, 'store', 'antichain.db'))
  try {
    const { catalog } = platform
    const stack = createStackId()
    const at = platform.clock.now()
    await catalog.createStack(stack, at)
    const { deployment } = await catalog.start(stack, { command: 'up', message: '', at })
    await catalog.release(deployment, { at, result: 'succeeded', changes: {}, version: 0 })
    const readRows = () => database.prepare(`SELECT * FROM ${table}`).all()
    const change = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${keyColumn} = ?`)
    change.run('{"cut', stack)
    const before = readRows()
    const removal = catalog.removeStack(stack)
    await expect(removal).rejects.toMatchObject({ code: 'RECORD_DAMAGED' })
    await expect(removal).rejects.toThrow(label)
    expect(readRows()).toEqual(before)
  } finally {
    database.close()
    await platform.close()
    rmSync(home, { recursive: true })
  }
})

test('a document that is damaged or of a newer version is named, hides no other, and is kept', async () => {
  const home = mkdtempSync(join(tmpdir(), 'antichain-contract-'))
  const platform = await openEmbeddedPlatform({ home })
  const database = new DatabaseSync(join(home, 'store', 'antichain.db'))
  try {
    const { documents } = platform
    const scope = createStackId()
    const keyOf = (name: string): DocumentKey => ({ kind: 'schedule', scope, name })
    for (const name of ['damaged', 'good', 'newer']) await documents.put(keyOf(name), { name }, 0)
    const change = (assignment: string, name: string) =>
      database.prepare(`UPDATE document SET ${assignment} WHERE name = ?`).run(name)
    change("value = '{cut'", 'damaged')
    change('format = 2', 'newer')
    const page = await documents.list('schedule', '', scope)
    expect(page.documents.map(({ key }) => key.name)).toEqual(['good'])
    expect(page.unreadable).toMatchObject([
      { key: keyOf('damaged'), reason: { code: 'RECORD_DAMAGED' } },
      { key: keyOf('newer'), reason: { code: 'RECORD_TOO_NEW' } },
    ])
    const before = database.prepare('SELECT * FROM document').all()
    for (const { key, reason } of page.unreadable) {
      await expect(documents.get(key)).rejects.toMatchObject({ message: reason.message })
      const { code } = reason as Error & { readonly code: string }
      await expect(documents.put(key, {}, 1)).rejects.toMatchObject({ code })
      await expect(documents.remove(key, 1)).rejects.toMatchObject({ code })
    }
    expect(database.prepare('SELECT * FROM document').all()).toEqual(before)
    // A put deletes expired documents, except those that are unreadable.
    change('expires_at = 1', 'damaged')
    change('expires_at = 1', 'newer')
    change('expires_at = 1', 'good')
    expect(await documents.put(keyOf('other'), {}, 0)).toBe(1)
    expect(database.prepare('SELECT name FROM document ORDER BY name').all()).toEqual(
      ['damaged', 'newer', 'other'].map(name => ({ name })),
    )
  } finally {
    database.close()
    await platform.close()
    rmSync(home, { recursive: true })
  }
})
