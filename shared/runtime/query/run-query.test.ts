import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test, vi } from 'vitest'
import { queryLimits } from '../../config/query-limits.ts'
import type { StackRecord } from '../../ports/catalog.ts'
import { stackIdOf } from '../../records/ids.ts'
import { runQuery } from './run-query.ts'

const contents = `
import { runQuery } from './run-query.ts'
const result = await runQuery(() => undefined, [], 'select 1 as one, 2 as two')
process.stdout.write(JSON.stringify(result))
`

test.each([
  ['a minified bundle, as on AWS', true],
  ['a bundle', false],
])('a query runs from %s', (_, minify) => {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-query-'))
  try {
    const { outputFiles } = buildSync({
      stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      write: false,
      minify,
      keepNames: true,
    })
    const file = join(folder, 'main.mjs')
    writeFileSync(file, outputFiles[0]?.text ?? '')
    const text = execFileSync(process.execPath, ['--no-warnings', file], { encoding: 'utf8' })
    expect(JSON.parse(text)).toEqual({
      columns: ['one', 'two'],
      rows: [[1, 2]],
      isTruncated: false,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Yields stacks. The time of the query is over after many of them. */
function* listStacksUntilLimit(): Generator<StackRecord> {
  const counters = { version: 0, deployments: 0, createdAt: 0 }
  const record = { id: stackIdOf('shop', 'dev'), current: '', snapshot: '', ...counters }
  for (let index = 0; index < 400_000; index += 1) {
    if (index === 100_000) vi.advanceTimersByTime(queryLimits.timeMs)
    yield record as StackRecord
  }
}

// The kill of the child also breaks the pipe to it. The error EPIPE must not hide the limit.
test('a query that exceeds its time while its tables load fails with this limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const stacks = { [Symbol.iterator]: listStacksUntilLimit } as unknown as StackRecord[]
    const failure = runQuery(() => ({}) as never, stacks, 'select count(*) from stacks')
    await expect(failure).rejects.toMatchObject({
      code: 'QUERY_LIMIT',
      message: 'the query took more than 20 s',
    })
  } finally {
    vi.useRealTimers()
  }
})

/** The ports of a store that answers late, so that a failed start is reported before its answer. */
const latePorts = {
  blobs: {
    get: () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 50)),
  },
}

test.each([
  ['synchronously', '\0'],
  ['asynchronously', '/missing/node'],
])('a query whose process fails to start %s gives its slot back', async (_, execPath) => {
  const { execPath: previousPath } = process
  const stack = { id: stackIdOf('shop', 'dev'), snapshot: 'a'.repeat(64) } as StackRecord
  try {
    process.execPath = execPath
    for (let count = 0; count <= queryLimits.runningMax; count += 1)
      await expect(
        runQuery(() => latePorts as never, [stack], 'select count(*) from stacks'),
      ).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:ERR_INVALID_ARG_VALUE|ENOENT)$/),
      })
  } finally {
    process.execPath = previousPath
  }
  const result = await runQuery(() => latePorts as never, [], 'select 1 as one')
  expect(result.rows).toEqual([[1]])
})
