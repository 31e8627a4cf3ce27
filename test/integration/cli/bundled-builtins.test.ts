import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinPlugin } from '../../../cli/bootstrap/bundle-builtins.mjs'

const folder = mkdtempSync(join(tmpdir(), 'antichain-builtins-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const source = `
  import childProcess, { execFile } from 'node:child_process'
  import { createHash } from 'node:crypto'
  import { existsSync } from 'node:fs'
  import { promisify } from 'node:util'
  const isLoaded = () => process.moduleLoadList.includes('NativeModule child_process')
  const wasLoaded = isLoaded()
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', '1'])
  console.log(JSON.stringify({
    wasLoaded,
    isLoaded: isLoaded(),
    stdout,
    isFunction: typeof childProcess.spawn,
    digest: createHash('sha256').update('a').digest('hex').slice(0, 8),
    exists: existsSync('/'),
  }))`

test('a bundle loads a module of Node at the first call of its functions', async () => {
  const outfile = join(folder, 'main.mjs')
  await build({
    stdin: { contents: source, resolveDir: folder, sourcefile: 'source.mjs' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [createBuiltinPlugin()],
  })
  expect(JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }))).toEqual({
    wasLoaded: false,
    isLoaded: true,
    stdout: '1\n',
    isFunction: 'function',
    digest: 'ca978112',
    exists: true,
  })
})
