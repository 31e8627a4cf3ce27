import { expect, test } from 'vitest'
import { readQuery, searchTermOf, sqlTextOf } from './read-query.ts'

test('sqlTextOf returns a literal, and searchTermOf makes each word of a search a prefix', () => {
  expect(sqlTextOf("it's")).toBe("'it''s'")
  expect(searchTermOf(' eu-server "x" ')).toBe('"eu-server"* """x"""*')
  expect(searchTermOf(' - "" ')).toBeUndefined()
})

test('the rows of a query have the names of their columns', async () => {
  const response = { columns: ['a', 'b'], rows: [[1, null]], isTruncated: false, unreadable: [] }
  const calls: unknown[] = []
  const send = (path: string, body: unknown): Promise<never> => {
    calls.push([path, body])
    return Promise.resolve(response as never)
  }
  const { signal } = new AbortController()
  const result = await readQuery({ send }, { sql: 'select 1', project: 'shop', signal })
  expect(result).toEqual({ rows: [{ a: 1, b: null }], isTruncated: false, unreadable: [] })
  expect(calls).toEqual([['/v1/query', { sql: 'select 1', project: 'shop' }]])
})
