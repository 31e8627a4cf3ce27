import { beforeEach, expect, test } from 'vitest'
import { type CliBench, createCliBench } from './cli-bench.ts'

let bench: CliBench

beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
})

const readConfig = async (): Promise<unknown> =>
  JSON.parse((await bench.run('config', '--json', '--show-secrets')).out)

test('config set-all sets many values, in plaintext and sealed, and config rm-all removes them', async () => {
  const valueArgs = ['--secret', 'a=hush', '--plaintext', 'b=2=3', '--plaintext', 'other:c=']
  expect(await bench.run('config', 'set-all', ...valueArgs)).toMatchObject({ exit: 0, err: '' })
  expect(bench.read('Pulumi.dev.yaml')).toContain('secure: new-salt(pass:hush)')
  expect(await readConfig()).toEqual({
    'other:c': { value: '', secret: false },
    'site:a': { value: 'hush', secret: true },
    'site:b': { value: '2=3', secret: false },
  })
  expect((await bench.run('config', 'rm-all', 'a', 'other:c', 'nobody')).exit).toBe(0)
  expect(await readConfig()).toEqual({ 'site:b': { value: '2=3', secret: false } })
})

test('config set-all and config rm-all accept paths into maps and lists', async () => {
  const valueArgs = ['--path', '--plaintext', 'm.a=1', '--secret', 'm.l[0]=z']
  expect((await bench.run('config', 'set-all', ...valueArgs)).exit).toBe(0)
  expect((await bench.run('config', 'get', '--path', 'm.l[0]')).out).toBe('z\n')
  expect((await bench.run('config', 'rm-all', '--path', 'm.l')).exit).toBe(0)
  expect((await bench.run('config', 'get', 'm')).out).toBe('{"a":1}\n')
})

test('config set-all accepts the output of `config --json`, and a secret object stays an object', async () => {
  const json = {
    'site:a': { value: 'hush', secret: true },
    b: { value: 'plain' },
    m: { value: '{}', objectValue: { a: ['p', 2] }, secret: true },
  }
  expect((await bench.run('config', 'set-all', '--json', JSON.stringify(json))).exit).toBe(0)
  expect(bench.read('Pulumi.dev.yaml')).toMatch(
    / {6}- secure: new-salt\(pass:p\)\n {6}- secure: new-salt\(pass:2\)\n/,
  )
  expect((await bench.run('config', 'get', 'm')).out).toBe('{"a":["p","2"]}\n')
  expect((await bench.run('config', 'get', 'a')).out).toBe('hush\n')
  expect((await bench.run('config', 'get', 'b')).out).toBe('plain\n')
})

test('config set-all --json sets a key with the name __proto__, at the top and within an object', async () => {
  const inner = '"value":"{}","objectValue":{"__proto__":1}'
  const json = `{"__proto__":{"value":"a"},"m":{${inner}}}`
  expect((await bench.run('config', 'set-all', '--json', json)).exit).toBe(0)
  expect((await bench.run('config', 'get', '__proto__')).out).toBe('a\n')
  expect((await bench.run('config', 'get', 'm')).out).toBe('{"__proto__":1}\n')
})

test.each([
  [['--plaintext', 'a=1', '--plaintext', 'x'], "'x' does not have the form <key>=<value>"],
  [['--json', '{}', '--path'], '--json cannot be used with'],
  [['--json', '{'], '--json is not valid JSON'],
  [['--json', '{"a":{"secret":true}}'], "'a' has no value"],
  [['--json', '{"a":1}'], 'a does not have the format of `config --json`'],
  [['--json'], 'pass values with'],
  [['a=1'], 'pass values with'],
])('config set-all refuses invalid values, and writes nothing: %j', async (args, expected) => {
  const before = bench.read('Pulumi.dev.yaml')
  const result = await bench.run('config', 'set-all', ...args)
  expect(result.err).toMatch(/^error\[CLI_USAGE\]/)
  expect(result.err).toContain(expected)
  expect(bench.read('Pulumi.dev.yaml')).toBe(before)
})
