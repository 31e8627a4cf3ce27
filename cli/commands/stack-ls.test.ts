import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { listStacks } from './stack-ls.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'stack-ls-'))
})
afterEach(() => rmSync(home, { recursive: true }))

/** The reads of a stack that a list makes after it has read the names. */
const reads = ['history', 'status', 'tags'] as const

/**
 * Lists the stacks `kept` and `gone` as JSON. The second fails with `code` in the read `failing`.
 * Returns the printed names, and the code of the error if the command fails.
 */
async function listWith(failing: (typeof reads)[number], code: ErrorCode) {
  const read = async <Value>(name: typeof failing, place: string, value: Value): Promise<Value> => {
    if (name === failing && place.includes('gone')) throw createError(code, 'no such record')
    return value
  }
  const stacks = ['kept', 'gone'].map(name => ({
    id: `organization/shop/${name}`,
    current: `organization/shop/${name}/1`,
  }))
  const engine = {
    platform: {
      catalog: {
        listStacks: async () => ({ stacks, unreadable: [] }),
        listHistory: (id: string) => read('history', id, [{ startedAt: 0 }]),
      },
    },
    readStatus: (id: string) => read('status', id, { kind: 'running' }),
    callApi: ({ path }: { path: string }) => read('tags', path, { tags: {} }),
  }
  const lines: string[] = []
  const session = {
    home,
    io: { env: {} },
    cwd: home,
    openEngine: async () => engine,
    print: (line: string) => void lines.push(line),
    requireProject: () => ({ name: 'shop' }),
  } as unknown as CliSession
  const flags = {
    isSet: (name: string) => ['json', 'all'].includes(name),
    text: () => undefined,
  } as unknown as Flags
  const error = await listStacks(session, flags, []).then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  )
  const rows = JSON.parse(lines.join('\n') || '[]') as readonly { readonly name: string }[]
  return { names: rows.map(({ name }) => name.split('/').at(-1)), error }
}

test.each(reads)('stack ls omits a stack that is removed before the read of its %s', async name => {
  expect(await listWith(name, 'STACK_NOT_FOUND')).toEqual({ names: ['kept'], error: undefined })
})

test.each(['history', 'status'] as const)(
  'stack ls lists a stack with an unreadable %s, and then fails',
  async name => {
    const expected = { names: ['kept', 'gone'], error: 'RECORD_DAMAGED' }
    expect(await listWith(name, 'RECORD_DAMAGED')).toEqual(expected)
  },
)
