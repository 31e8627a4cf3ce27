import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

let bench: CommandBench
beforeEach(() => {
  bench = createCommandBench()
  const bin = join(bench.root, 'bin')
  mkdirSync(bin)
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'toy-converter.ts')}'\n`
  for (const name of ['pulumi-converter-toy', 'pulumi-language-toy'])
    writeFileSync(join(bin, name), script, { mode: 0o755 })
  bench.env['PATH'] = `${bin}${delimiter}${process.env['PATH'] ?? ''}`
  writeFileSync(join(bench.root, 'a.toy'), '')
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const convertPcl = (...args: string[]) =>
  bench.run('convert', '--from', 'pcl', '--language', 'toy', '--generate-only', ...args)
const convert = (...args: string[]) => bench.run('convert', '--from', 'toy', ...args)

test('convert translates a program with a converter and a language host, and copies other files', async () => {
  const args = ['--language', 'toy', '--out', 'new', '--generate-only', '--name', 'shop']
  expect(await convert(...args)).toMatchObject({
    exit: 0,
    err: expect.stringContaining('warning: not translated: line 3'),
  })
  const folder = join(bench.root, 'new')
  expect(readdirSync(folder).toSorted()).toEqual(['asset.txt', 'main.txt'])
  expect(readFileSync(join(folder, 'main.txt'), 'utf8')).toBe('# a.toy\n{"name":"shop"}\n')
  // The configuration language itself needs no host.
  expect(await convert('--language', 'pcl', '--out', 'pcl')).toMatchObject({ exit: 0 })
  expect(readdirSync(join(bench.root, 'pcl')).toSorted()).toEqual(['asset.txt', 'main.pp'])
})

test('convert writes nothing if the converter reports an error or is missing', async () => {
  const refused = await convert('--language', 'pcl', '--out', 'new', '--', 'bad')
  expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining('CODE_GENERATION_FAILED') })
  expect(refused.err).toContain("the converter 'toy' generated no code: not translated: line 3")
  const missing = await bench.run('convert', '--from', 'none', '--language', 'pcl', '--out', 'new')
  expect(missing).toMatchObject({ exit: 1, err: expect.stringContaining('PLUGIN_MISSING') })
  expect(missing.err).toContain('antichain plugin install converter none')
  expect((await convert()).err).toContain('the target language is missing')
  expect(readdirSync(bench.root)).not.toContain('new')
})

test('convert --from pcl writes the project into the folder of the program, and below it', async () => {
  mkdirSync(join(bench.root, 'assets'))
  writeFileSync(join(bench.root, 'main.pp'), '# hand written\n')
  writeFileSync(join(bench.root, 'assets/logo.txt'), 'logo')
  for (const folder of ['assets/new', '.']) {
    expect(await convertPcl('--out', folder)).toMatchObject({ exit: 0 })
    const text = readFileSync(join(bench.root, folder, 'main.txt'), 'utf8')
    expect(text).toBe('# hand written\n{"name":"shop","runtime":"yaml"}\n')
    expect(readdirSync(join(bench.root, folder, 'assets'))).toContain('logo.txt')
  }
  expect(readdirSync(join(bench.root, 'assets/new/assets'))).toEqual(['logo.txt'])
})

test('convert keeps the digits of integers of the project, and names a host that is not installed', async () => {
  const config = 'config:\n  size: {type: integer, default: 9007199254740993}\n'
  writeFileSync(join(bench.root, 'Pulumi.yaml'), `name: shop\nruntime: yaml\n${config}`)
  writeFileSync(join(bench.root, 'main.pp'), '')
  expect(await convertPcl('--out', 'new')).toMatchObject({ exit: 0 })
  expect(readFileSync(join(bench.root, 'new/main.txt'), 'utf8')).toContain(
    '"default":9007199254740993}',
  )
  const args = ['--from', 'pcl', '--language', 'cobol', '--out', 'other']
  expect(await bench.run('convert', ...args)).toMatchObject({
    exit: 1,
    err: expect.stringMatching(/RUNTIME_UNKNOWN.*Put pulumi-language-cobol on your PATH/s),
  })
})

test('convert refuses invalid names, and --strict where it has no effect, before it writes', async () => {
  for (const name of ['../a', 'Pulumi.Shop'])
    expect(await convert('--language', 'toy', '--out', 'new', '--name', name)).toMatchObject({
      exit: 1,
      err: expect.stringMatching(new RegExp(`CLI_USAGE.*'${name}'`, 's')),
    })
  for (const language of ['pcl', 'pulumi'])
    expect((await convert('--language', language, '--out', 'new', '--strict')).err).toMatch(
      /CLI_USAGE.*--strict has no effect with --language pcl/s,
    )
  expect(readdirSync(bench.root)).not.toContain('new')
  const args = ['--language', 'toy', '--out', 'new', '--generate-only', '--strict', '--name', '']
  expect(await convert(...args)).toMatchObject({ exit: 0 })
})
