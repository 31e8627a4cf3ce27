import { expect, test } from 'vitest'
import * as z from 'zod'
import { listAllItems } from './api-pages.ts'

type PageOf = (cursor: string) => { readonly items: readonly number[]; readonly next?: string }

const list = (pageOf: PageOf) => {
  const callApi = async ({ path }: { readonly path: string }) =>
    pageOf(new URL(path, 'http://api.test').searchParams.get('cursor') ?? '')
  return listAllItems({ callApi }, '/v1/numbers?limit=1', z.number())
}

test('a list has the items of all pages, also of those after an empty page', async () => {
  const pages: Readonly<Record<string, ReturnType<PageOf>>> = {
    '': { items: [1], next: 'a&b' },
    'a&b': { items: [], next: 'c' },
    c: { items: [2, 3] },
  }
  expect(await list(cursor => pages[cursor] ?? { items: [] })).toEqual([1, 2, 3])
})

// Without a check, a command does not end with these servers.
test.each<readonly [string, PageOf]>([
  ['empty pages with new cursors', cursor => ({ items: [], next: `${cursor}x` })],
  ['a page that is its own next one', () => ({ items: [1], next: 'same' })],
])('a list without an end is refused: %s', async (_name, pageOf) => {
  await expect(list(pageOf)).rejects.toMatchObject({ code: 'API_ANSWER_UNKNOWN' })
})
