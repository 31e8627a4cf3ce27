import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

let bench: CommandBench
beforeEach(async () => {
  bench = createCommandBench()
  await run('stack', 'init', 'dev')
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const pathOf = (name: string): string => join(bench.root, name)
const read = (name: string): string => readFileSync(pathOf(name), 'utf8')

async function run(...args: string[]): Promise<string> {
  const { exit, out, err } = await bench.run(...args)
  if (exit !== 0) throw new Error(`${args.join(' ')}: ${err}`)
  return out
}

/** Returns the values of the stack file. */
async function readConfig(): Promise<unknown> {
  return JSON.parse(await run('config', '--json', '--show-secrets', '-s', 'dev'))
}

test('config env init moves plain values to an environment, and keeps secrets encrypted in the stack file', async () => {
  for (const [key, value] of [
    ['size', '3'],
    ['aws:region', 'eu'],
    ['text', 'a ${b} $${c} #d'],
    ['flag', 'true'],
  ] as const)
    await run('config', 'set', key, value, '-s', 'dev')
  await run('config', 'set', '--path', 'tree.list[0]', '7', '-s', 'dev')
  await run('config', 'set', '--secret', 'token', 'hush', '-s', 'dev')
  await run('config', 'set', '--path', 'mixed.plain', 'x', '-s', 'dev')
  await run('config', 'set', '--secret', '--path', 'mixed.key', 'hush', '-s', 'dev')
  const before = read('Pulumi.dev.yaml')
  const unconfirmed = await bench.run('config', 'env', 'init', '-s', 'dev')
  expect(unconfirmed.err).toContain('--yes must be passed in')
  expect(existsSync(pathOf('environments'))).toBe(false)
  const { exit, out, err } = await bench.run('config', 'env', 'init', '--yes', '-s', 'dev')
  expect([exit, err]).toEqual([
    0,
    expect.stringMatching(/Secrets stay encrypted in .*Pulumi\.dev\.yaml: shop:token, shop:mixed/),
  ])
  const environment = read('environments/shop/dev.yaml')
  expect(out).toContain(environment)
  expect(environment).toContain('aws:region: eu')
  expect(environment).not.toContain('hush')
  expect(environment).not.toMatch(/secure|token|mixed/)
  const file = read('Pulumi.dev.yaml')
  expect(file).toMatch(/environment:\n? *- shop\/dev/)
  expect(Object.keys((await readConfig()) as object)).toEqual(['shop:mixed', 'shop:token'])
  expect(/secure: \S+/.exec(file)?.[0]).toBe(/secure: \S+/.exec(before)?.[0])
  const secondResult = await bench.run('config', 'env', 'init', '--yes', '-s', 'dev')
  expect(secondResult.err).toMatch(/error\[CONFIG_INVALID\]: the environment .* already exists/)
})

test('config env init --env names the environment, and --keep-config keeps the values', async () => {
  await run('config', 'set', 'size', '3', '-s', 'dev')
  await run('config', 'env', 'init', '--env', 'team/base', '--keep-config', '-y', '-s', 'dev')
  expect(read('environments/team/base.yaml')).toContain('shop:size')
  expect(read('Pulumi.dev.yaml')).toContain('shop:size: "3"')
  expect(await run('config', 'env', 'ls', '--output', 'json', '-s', 'dev')).toContain('team/base')
  const invalid = await bench.run('config', 'env', 'init', '--env', '../x', '-y', '-s', 'dev')
  expect(invalid.err).toContain("'../x' is not the name of an environment")
})

test('config env add, ls and rm change the file of --config-file', async () => {
  mkdirSync(pathOf('environments'))
  writeFileSync(pathOf('environments/base.yaml'), 'values: {}\n')
  writeFileSync(pathOf('other.yaml'), '')
  const stackFile = read('Pulumi.dev.yaml')
  const inOther = ['--config-file', 'other.yaml', '-s', 'dev']
  await run('config', 'env', 'add', 'base', ...inOther)
  expect(read('other.yaml')).toContain('base')
  expect(await run('config', 'env', 'ls', ...inOther)).toBe('base\n')
  await run('config', 'env', 'rm', 'base', ...inOther)
  expect(read('other.yaml')).not.toContain('base')
  expect(read('Pulumi.dev.yaml')).toBe(stackFile)
})

test('config env init refuses a value that an environment would read as a function', async () => {
  mkdirSync(pathOf('environments'))
  const file = `${read('Pulumi.dev.yaml')}config:\n  shop:call:\n    fn::toJSON: [1]\n`
  writeFileSync(pathOf('Pulumi.dev.yaml'), file)
  const { err } = await bench.run('config', 'env', 'init', '-y', '-s', 'dev')
  expect(err).toContain("in an environment, the value of 'shop:call' would change")
  expect(read('Pulumi.dev.yaml')).toBe(file)
  expect(existsSync(pathOf('environments/shop/dev.yaml'))).toBe(false)
})

test.each([
  [
    'pulumi:org/x',
    /error\[FEATURE_MISSING\]: the environment 'pulumi:org\/x' is one of Pulumi ESC/,
  ],
  ['../x', /error\[CONFIG_INVALID\]: '\.\.\/x' is not the name of an environment/],
])('config env add refuses the name %s before it looks for a file', async (name, message) => {
  const { exit, err } = await bench.run('config', 'env', 'add', name, '-s', 'dev')
  expect([exit, err]).toEqual([1, expect.stringMatching(message)])
  expect(err).not.toContain('Create the file')
})
