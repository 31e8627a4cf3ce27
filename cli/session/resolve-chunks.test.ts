import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'antichain-chunks-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a chunk imports chunks of its folder, files of other folders, and modules of Node', () => {
  mkdirSync(join(folder, 'other'))
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { sep } from 'node:path'
     import { text } from './chunk-A.mjs'
     import { number } from './other/file.mjs'
     console.log(JSON.stringify([sep, text, number, (await import('./chunk-B.mjs')).url]))`,
  )
  writeFileSync(join(folder, 'chunk-A.mjs'), "export const text = 'from A'")
  writeFileSync(join(folder, 'chunk-B.mjs'), 'export const url = import.meta.url')
  writeFileSync(join(folder, 'other', 'file.mjs'), 'export const number = 1')
  const mainFile = join(folder, 'main.mjs')
  const script = `
    const { resolveChunksByName } = await import('${pathToFileURL(join(import.meta.dirname, 'resolve-chunks.ts')).href}')
    resolveChunksByName(${JSON.stringify(mainFile)})
    await import('${pathToFileURL(mainFile).href}')`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  expect(JSON.parse(output)).toEqual([
    '/',
    'from A',
    1,
    pathToFileURL(join(folder, 'chunk-B.mjs')).href,
  ])
})
