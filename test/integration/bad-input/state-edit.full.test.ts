import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BadInputBench, createBadInputBench, recordedExport } from './bad-input-bench.ts'
import { envelopeDamages, foreignDamages, integrityDamages, textDamages } from './state-damages.ts'

let bench: BadInputBench

beforeAll(async () => {
  bench = createBadInputBench()
  await bench.run('stack', 'init', 'dev')
  bench.write('good.json', recordedExport)
  await bench.run('stack', 'import', '-s', 'dev', '--file', 'good.json')
})

afterAll(() => bench.remove())

const isUtf8Damage = (what: string): boolean => /not UTF-8|UTF-16/.test(what)

test.each([...textDamages, ...envelopeDamages, ...integrityDamages, ...foreignDamages])(
  'state edit refuses a saved text that is $what, keeps the file, and changes nothing',
  async ({ what, damage, code, pattern }) => {
    bench.write('bad.json', damage(recordedExport))
    const editor = `cp '${join(bench.root, 'bad.json')}'`
    const args = ['state', 'edit', '-s', 'dev', '--yes', '--editor', editor]
    // Bytes that are not UTF-8 cannot be shown as a text, so the file is refused before its parse.
    const expectedCode = isUtf8Damage(what) ? 'EDITOR_FAILED' : code
    const expectedPattern = isUtf8Damage(what) ? 'a text that is not UTF-8' : pattern
    const err = await bench.refuse(args, expectedCode, [expectedPattern, 'Nothing was changed'])
    const path = /The edited state is kept in (\S+)/.exec(err)?.[1] ?? ''
    expect(existsSync(path)).toBe(true)
    rmSync(dirname(path), { recursive: true })
    expect((await bench.run('stack', 'export', '-s', 'dev')).out).toBe(recordedExport)
  },
)
