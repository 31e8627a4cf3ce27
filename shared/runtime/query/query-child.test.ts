import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type QueryOutput, runQueryChild } from './query-child.ts'
import { createQuerySchema, queryColumns, tablesOfQuery } from './query-schema.ts'

const rows = [
  ['stacks', 'shop', 'dev', 3, 4, 0, 2, '2026-01-01T00:00:00.000Z', null],
  ['pending', 'shop', 'dev', 'urn:a', 'creating'],
  ['drift', 'shop', 'dev', 4, null, '', 'urn:a', 'update', '["acl","tags.env"]'],
  ['search', 'shop', 'dev', 'urn:a', 'aws:s3/bucket:Bucket', 'logs', 'b-1', '{"acl":"private"}'],
]

/** Runs the child as `runQuery` does. */
function query(sql: string, more: { rowsMax?: number; charsMax?: number } = {}): QueryOutput {
  const limits = { rowsMax: 100, charsMax: 100_000, ...more }
  const input = { schema: createQuerySchema(), columns: queryColumns, sql, ...limits }
  const lines = [input, ...rows].map(line => JSON.stringify(line)).join('\n')
  const code = `(${runQueryChild.toString()})()`
  const options = ['--permission', '--no-warnings', '-e', code]
  const { stdout } = spawnSync(process.execPath, options, { input: lines, env: {} })
  return JSON.parse(stdout.toString('utf8')) as QueryOutput
}

test('a query selects, joins, searches and recurses', () => {
  expect(query('select project, version from stacks')).toEqual({
    columns: ['project', 'version'],
    rows: [['shop', 3]],
    isTruncated: false,
  })
  expect(
    query('select drift.urn, path.value from drift, json_each(drift.paths) as path;'),
  ).toMatchObject({
    rows: [
      ['urn:a', 'acl'],
      ['urn:a', 'tags.env'],
    ],
  })
  expect(query("select name from search where search match 'priv*'")).toMatchObject({
    rows: [['logs']],
  })
  expect(
    query(
      'with recursive n(x) as (select 1 union all select x + 1 from n limit 3) select * from n',
    ),
  ).toMatchObject({ rows: [[1], [2], [3]] })
})

test('a query cannot write, open another database, change settings or hide a second statement', () => {
  const file = join(tmpdir(), `antichain-query-${process.pid}.db`)
  for (const sql of [
    'delete from stacks',
    'create table t (a)',
    'drop table stacks',
    `attach '${file}' as other`,
    `vacuum into '${file}'`,
    'pragma query_only = off',
    'with x as (select 1) insert into pending select 1, 2, 3, 4 from x',
    "insert into search(search) values ('rebuild')",
    "select load_extension('x')",
    'select 1; delete from stacks',
    'selec 1',
    '',
  ])
    expect([sql, query(sql)]).toEqual([sql, { error: expect.any(String) }])
  expect(existsSync(file)).toBe(false)
})

test('a result ends at the limits of rows and characters', () => {
  const numbers = 'with recursive n(x) as (select 1 union all select x + 1 from n) select * from n'
  expect(query(numbers, { rowsMax: 5 })).toMatchObject({
    rows: [[1], [2], [3], [4], [5]],
    isTruncated: true,
  })
  expect(query(numbers, { charsMax: 9 })).toMatchObject({
    rows: [[1], [2], [3]],
    isTruncated: true,
  })
})

test('only the tables that a query names are loaded', () => {
  expect([...tablesOfQuery('select * from RESOURCES')]).toEqual(['resources'])
  expect([...tablesOfQuery('select * from drift')]).toEqual(['drift'])
})
