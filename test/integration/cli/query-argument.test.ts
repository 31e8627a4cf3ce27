import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { createCommandBench } from '../backends/command-bench.ts'

const bench = createCommandBench()
afterAll(() => rmSync(bench.root, { recursive: true, force: true }))

test.each([
  ['', 'error[CLI_USAGE]: the argument <sql> of `query` is empty'],
  [' \n', 'error[CLI_USAGE]: the argument <sql> of `query` is empty'],
  ['x'.repeat(10_001), 'error[QUERY_LIMIT]: the argument <sql> of `query` has more than 10000'],
])('query names its argument when it is empty or too long', async (sql, message) => {
  const { err } = await bench.run('query', sql)
  expect(err).toContain(message)
  expect(err).not.toContain('body')
})
