import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

let bench: CommandBench
beforeEach(() => {
  bench = createCommandBench()
  const bin = join(bench.root, 'bin')
  mkdirSync(bin)
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'toy-converter.ts')}'\n`
  for (const name of ['toy', 'go'])
    writeFileSync(join(bin, `pulumi-language-${name}`), script, { mode: 0o755 })
  bench.env['PATH'] = `${bin}${delimiter}${process.env['PATH'] ?? ''}`
  writeFileSync(join(bench.root, 'schema.json'), '{"name":"shop","version":"1.0.0","x":[1]}')
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const addTypescriptArgs = ['package', 'add', './schema.json', '--language', 'typescript']
const read = (path: string): string => readFileSync(join(bench.root, path), 'utf8')
const generate = (...args: string[]) =>
  bench.run('package', 'gen-sdk', './schema.json', '--out', 'out', ...args)

test('package gen-sdk lets the host of a language write the SDK, with the whole schema', async () => {
  const args = ['--language', 'toy', '--version', '2.0.0', '--local']
  expect(await generate(...args)).toMatchObject({
    exit: 0,
    out: 'Generated the SDK of shop 2.0.0 in out/toy.\n',
  })
  expect(read('out/toy/shop/sdk.txt')).toBe(
    'local: true\n{"name":"shop","version":"2.0.0","x":[1]}\n',
  )
  expect(await generate('--language', 'toy')).toMatchObject({ exit: 0 })
  expect(read('out/toy/shop/sdk.txt')).toContain('local: false\n')
})

test('package gen-sdk keeps the bytes and modes of files that a host writes', async () => {
  expect(await generate('--language', 'toy')).toMatchObject({ exit: 0 })
  const folder = join(bench.root, 'out/toy/shop')
  const logo = Uint8Array.from(readFileSync(join(folder, 'logo.png')))
  expect(logo).toEqual(Uint8Array.of(0x89, 0x50, 0xff, 0x00))
  const modes = ['build.sh', 'logo.png'].map(name => statSync(join(folder, name)).mode & 0o100)
  expect(modes).toEqual([0o100, 0])
})

test('package gen-sdk for all languages includes those of Pulumi whose host is on the PATH', async () => {
  const { exit, out } = await generate('--language', 'all')
  expect(exit).toBe(0)
  for (const language of ['nodejs', 'python', 'yaml', 'go'])
    expect(out).toContain(`in out/${language}.`)
  expect(out).not.toContain('out/toy')
})

test('package gen-sdk names a host that is not installed, and the error of a host', async () => {
  expect(await generate('--language', 'cobol')).toMatchObject({
    exit: 1,
    err: expect.stringMatching(/RUNTIME_UNKNOWN.*Put pulumi-language-cobol on your PATH/s),
  })
  writeFileSync(join(bench.root, 'schema.json'), '{"name":"bad"}')
  expect(await generate('--language', 'toy')).toMatchObject({
    exit: 1,
    err: expect.stringMatching(/CODE_GENERATION_FAILED.*generated no code: bad: name/s),
  })
})

test('package add lets the host of the project link the SDK, and prints its instructions', async () => {
  writeFileSync(join(bench.root, 'Pulumi.yaml'), 'name: shop\nruntime: toy\n')
  const { exit, out } = await bench.run('package', 'add', './schema.json')
  expect(exit).toBe(0)
  expect(read('sdks/shop/shop/sdk.txt')).toContain('local: true\n')
  expect(read('links.txt')).toBe('shop sdks/shop\n')
  expect(out).toContain('Next steps:\n  Import it with:\n    use shop\n')
})

test('package add takes the name of a language, as package gen-sdk does', async () => {
  writeFileSync(join(bench.root, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\n')
  writeFileSync(join(bench.root, 'package.json'), '{}')
  writeFileSync(join(bench.root, 'schema.json'), '{"name":"null"}')
  const { exit, out } = await bench.run(...addTypescriptArgs)
  expect(exit).toBe(0)
  expect(out).toContain("import * as _null from '@pulumi/null'")
})

test('an SDK in Go omits functions that return no object, for which its generator writes invalid code', async () => {
  const functions = {
    'shop:index:single': { outputs: { type: 'boolean' } },
    'shop:index:object': { outputs: { properties: {} } },
    'shop:index:nothing': {},
  }
  const parameterization = { baseProvider: { name: 'base' }, parameter: '' }
  const schema = { name: 'shop', functions, parameterization }
  writeFileSync(join(bench.root, 'schema.json'), JSON.stringify(schema))
  const { exit, err } = await generate('--language', 'go')
  const omitted = ['shop:index:single', 'shop:index:nothing']
  const lines = omitted.map(token => `The SDK has no function ${token}.\n`)
  expect([exit, err]).toEqual([0, lines.join('')])
  const text = read('out/go/shop/sdk.txt')
  expect(text).toContain('"functions":{"shop:index:object":{"outputs":{"properties":{}}}}')
  await generate('--language', 'toy')
  expect(read('out/toy/shop/sdk.txt')).toContain('shop:index:single')
})

test('an SDK in Go omits methods with plain results, and the functions of these methods', async () => {
  const shelf = { $ref: '#/resources/shop:index:Shelf' }
  const inputs = { properties: { __self__: shelf } }
  const outputs = { properties: {} }
  const functions = {
    'shop:index:Shelf/open': { inputs, outputs },
    'shop:index:Shelf/count': { inputs, outputs: { type: 'integer', plain: true } },
    'shop:index:Shelf/find': { inputs, outputs: { ...outputs, plain: true } },
  }
  const methods = Object.fromEntries(
    Object.keys(functions).map(token => [token.replace(/.*\//, ''), token]),
  )
  const parameterization = { baseProvider: { name: 'base' }, parameter: '' }
  const resources = { 'shop:index:Shelf': { methods } }
  const schema = { name: 'shop', functions, resources, provider: { methods }, parameterization }
  writeFileSync(join(bench.root, 'schema.json'), JSON.stringify(schema))
  const { err } = await generate('--language', 'go')
  expect(err).toBe(
    'The SDK has no method shop:index:Shelf/count.\nThe SDK has no method shop:index:Shelf/find.\n',
  )
  const text = read('out/go/shop/sdk.txt')
  const kept = { open: 'shop:index:Shelf/open' }
  expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
    resources: { 'shop:index:Shelf': { methods: kept } },
    provider: { methods: kept },
  })
  expect(text).not.toMatch(/count|find/)
})
