import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'

let sandbox: Sandbox

beforeEach(() => {
  sandbox = createSandbox('small')
})

afterEach(() => sandbox.remove())

/** Runs a statement on the database directly and returns all stacks as they are stored. */
function tamper(statement: string): readonly unknown[] {
  const database = new DatabaseSync(join(sandbox.home, 'store', 'antichain.db'))
  database.exec(statement)
  const rows = database.prepare('SELECT * FROM stack ORDER BY id').all()
  database.close()
  return rows
}

test('damaged stacks are named by their keys, the others are listed, and nothing is overwritten', async () => {
  for (const name of ['good', 'bad', 'worse'])
    requireSuccess(await sandbox.run(['stack', 'init', name, '--no-select']))
  const stored = tamper(`UPDATE stack SET snapshot = 'nonsense' WHERE id LIKE '%/bad'`)
  const firstLs = await sandbox.run(['stack', 'ls'])
  expect(firstLs.out).toContain('good')
  expect(firstLs.out).toContain('worse')
  expectRefused(firstLs, 'RECORD_DAMAGED', ['organization/small/bad'])
  tamper(`UPDATE stack SET snapshot = 'nonsense' WHERE id LIKE '%/worse'`)
  const secondLs = await sandbox.run(['stack', 'ls', '--json'])
  expect((JSON.parse(secondLs.out) as { name: string }[]).map(({ name }) => name)).toEqual(['good'])
  expectRefused(secondLs, 'RECORD_DAMAGED', ['organization/small/bad', 'organization/small/worse'])
  tamper(`UPDATE stack SET snapshot = '' WHERE id LIKE '%/worse'`)
  expect(tamper('SELECT 1')).toEqual(stored)
})

test('a deployment whose records are damaged hides no stack', async () => {
  for (const name of ['good', 'bad'])
    requireSuccess(await sandbox.run(['stack', 'init', name, '--no-select']))
  const deployment = 'organization/small/bad/1'
  tamper(`UPDATE stack SET current = '${deployment}' WHERE id LIKE '%/bad'`)
  tamper(`INSERT INTO control (deployment, token, holder) VALUES ('${deployment}', '', 'nonsense')`)
  const result = await sandbox.run(['stack', 'ls'])
  expect(result.out).toContain('good')
  expect(result.out).toContain('bad')
  expectRefused(result, 'RECORD_DAMAGED', [deployment])
})
