import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from '../backends/run-antichain.ts'

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

const read = (path: string): string => readFileSync(join(bench.root, path), 'utf8')
const generate = (...args: string[]) =>
  bench.run('package', 'gen-sdk', './schema.json', '--out', 'out', ...args)

test('package gen-sdk lets the host of a language write the SDK, with the whole schema', async () => {
  const args = ['--language', 'toy', '--version', '2.0.0', '--local']
  expect(await generate(...args)).toMatchObject({
    ...{ exit: 0, out: 'Generated the SDK of shop 2.0.0 in out/toy.\n' },
  })
  expect(read('out/toy/shop/sdk.txt')).toBe(
    'local: true\n{"name":"shop","version":"2.0.0","x":[1]}\n',
  )
  expect(await generate('--language', 'toy')).toMatchObject({ exit: 0 })
  expect(read('out/toy/shop/sdk.txt')).toContain('local: false\n')
})

test('package gen-sdk also uses the hosts on the PATH for all languages', async () => {
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

test('an SDK in Go only has functions that return objects, because of its generator', async () => {
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
