import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'

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
