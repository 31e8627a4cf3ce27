import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StackId } from '../../../shared/records/ids.ts'
import type { StoredDeployment, StoredResource } from '../../../shared/state/stored.ts'
import { type Bench, createBench } from './fakes.ts'

const dev = 'organization/site/dev' as StackId
const prod = 'organization/site/prod' as StackId
const urn = (name: string, stack = 'dev'): string => `urn:pulumi:${stack}::site::a:b:C::${name}`

let bench: Bench

const thing = (name: string, more: object = {}): StoredResource => ({
  ...{ urn: urn(name), custom: true, id: name, type: 'a:b:C' },
  ...more,
})

const stateOf = (salt: string, ...resources: readonly StoredResource[]): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  secrets_providers: { type: 'passphrase', state: { salt } },
  resources,
  metadata: {},
})

const urnsIn = (stack: StackId): readonly string[] =>
  (bench.states.get(stack)?.resources ?? []).map(resource => resource.urn)

beforeEach(async () => {
  bench = createBench()
  await bench.run('stack', 'init', 'prod')
  await bench.run('stack', 'init', 'dev')
  const b = thing('b', { protect: true, dependencies: [urn('a')] })
  bench.states.set(dev, stateOf('one', thing('a'), b, thing('c')))
})

describe('state commands', () => {
  test('delete refuses what is needed or protected, with one error each, and says what helps', async () => {
    for (const [words, code] of [
      [[urn('a')], 'STATE_RESOURCE_NEEDED'],
      [[urn('b')], 'STATE_RESOURCE_PROTECTED'],
      [[urn('a'), '--target-dependents'], 'STATE_RESOURCE_PROTECTED'],
      [[urn('z')], 'STATE_RESOURCE_UNKNOWN'],
      [['z'], 'CLI_USAGE'],
      [[urn('c'), '--all'], 'CLI_USAGE'],
      [[], 'CLI_USAGE'],
    ] as const) {
      const { exit, err } = await bench.run('state', 'delete', ...words)
      expect([exit > 0, err.split(':')[0]], words.join(' ')).toEqual([true, `error[${code}]`])
      expect(urnsIn(dev)).toHaveLength(3)
    }
    const words = [urn('a'), '--target-dependents', '--force']
    const { exit, err } = await bench.run('state', 'delete', ...words)
    expect([exit, err]).toEqual([0, expect.stringContaining('Resource deleted')])
    expect(err).toContain(`deleting protected resource ${urn('b')}`)
    expect(urnsIn(dev)).toEqual([urn('c')])
    expect((await bench.run('state', 'rm', '--all')).exit).toBe(0)
    expect(urnsIn(dev)).toEqual([])
  })

  test('marks are set and taken, of one and of all', async () => {
    const flags = (name: string) => bench.states.get(dev)?.resources?.map(one => one[name] === true)
    await bench.run('state', 'protect', urn('a'), '-y')
    expect(flags('protect')).toEqual([true, true, false])
    await bench.run('state', 'unprotect', '--all', '-y')
    expect(flags('protect')).toEqual([false, false, false])
    await bench.run('state', 'taint', urn('a'), urn('c'), '-y')
    expect(flags('taint')).toEqual([true, false, true])
    await bench.run('state', 'untaint', urn('a'), '-y')
    expect(flags('taint')).toEqual([false, false, true])
    expect((await bench.run('state', 'taint', '--all')).exit).toBe(2)
    const { err } = await bench.run('state', 'taint', urn('x'), urn('y'))
    expect(err).toContain('STATE_RESOURCE_UNKNOWN')
    expect(flags('taint')).toEqual([false, false, true])
  })

  test('at a terminal they ask, and let choose; no changes nothing', async () => {
    bench.terminal = true
    bench.answers.push('n')
    expect((await bench.run('state', 'taint', urn('a'))).err).toContain('CONFIRMATION_DECLINED')
    bench.answers.push('3', 'y')
    expect((await bench.run('state', 'delete')).exit).toBe(0)
    expect(urnsIn(dev)).toEqual([urn('a'), urn('b')])
    bench.answers.push('1', 'new', 'yes')
    expect((await bench.run('state', 'rename')).exit).toBe(0)
    expect(urnsIn(dev)).toEqual([urn('new'), urn('b')])
  })

  test('rename needs both names where nobody can be asked', async () => {
    expect((await bench.run('state', 'rename', urn('a'))).exit).toBe(2)
    expect((await bench.run('state', 'rename', 'a', 'z')).exit).toBe(2)
    expect((await bench.run('state', 'rename', urn('a'), 'c')).err).toContain('RESOURCE_EXISTS')
    expect((await bench.run('state', 'rename', urn('a'), 'z')).exit).toBe(0)
    expect(bench.states.get(dev)?.resources?.[1]).toMatchObject({ dependencies: [urn('z')] })
  })

  test('repair leaves what is valid, and asks before it writes', async () => {
    expect((await bench.run('state', 'repair')).err).toContain('already valid')
    bench.states.set(dev, stateOf('one', thing('b', { dependencies: [urn('a')] }), thing('a')))
    expect((await bench.run('state', 'repair')).exit).toBe(2)
    expect(urnsIn(dev)).toEqual([urn('b'), urn('a')])
    expect((await bench.run('state', 'repair', '-y')).exit).toBe(0)
    expect(urnsIn(dev)).toEqual([urn('a'), urn('b')])
  })
})

describe('state move', () => {
  const mark = '4dabf18193072939515e22adb298388d'
  const secret = (ciphertext: string) => ({
    [mark]: '1b47061264138c4ac30d75fd1eb44270',
    ciphertext,
  })

  test('seals secrets anew for the other stack', async () => {
    bench.states.set(dev, stateOf('one', thing('a', { inputs: { p: secret('one(pass:"x")') } })))
    bench.states.set(prod, stateOf('two'))
    const { exit, err } = await bench.run('state', 'move', '--dest', 'prod', '-y', urn('a'))
    expect([exit, err]).toEqual([0, expect.stringContaining('Successfully moved')])
    expect(urnsIn(dev)).toEqual([])
    expect(bench.states.get(prod)?.resources?.[1]).toMatchObject({
      urn: urn('a', 'prod'),
      inputs: { p: secret('two(pass:"x")') },
    })
  })

  test('refuses what cannot be, and moves nothing then', async () => {
    bench.states.set(prod, stateOf('two', { ...thing('c'), urn: urn('c', 'prod') }))
    for (const words of [
      [urn('a')],
      ['--dest', 'dev', urn('a')],
      ['--dest', 'nowhere', urn('a')],
      ['--dest', 'prod', urn('z')],
      ['--dest', 'prod', '-y', urn('c')],
      ['--dest', 'prod', urn('a')],
    ]) {
      const { exit, err } = await bench.run('state', 'move', ...words)
      expect(exit, words.join(' ')).not.toBe(0)
      expect(err.match(/^error\[/gm)).toHaveLength(1)
    }
    expect(urnsIn(dev)).toHaveLength(3)
    expect(urnsIn(prod)).toHaveLength(1)
  })

  test('tells what is cut', async () => {
    const { err } = await bench.run('state', 'move', '--dest', 'prod', '-y', urn('b'), urn('z'))
    expect(err).toContain(`${urn('z')} was not found`)
    expect(err).toContain(`- ${urn('b')} (dependency) on ${urn('a')}`)
    expect(bench.states.get(prod)?.resources?.at(-1)).not.toHaveProperty('dependencies')
  })
})

describe('stack rename', () => {
  test('takes the configuration file along and selects the stack', async () => {
    const { exit } = await bench.run('stack', 'rename', 'test')
    expect([exit, bench.calls]).toEqual([
      0,
      expect.arrayContaining([`rename ${dev} organization/site/test`]),
    ])
    expect(existsSync(join(bench.root, 'Pulumi.dev.yaml'))).toBe(false)
    expect(existsSync(join(bench.root, 'Pulumi.test.yaml'))).toBe(true)
  })

  test('refuses names that are none, its own, and a file that would be lost', async () => {
    for (const name of ['a b', 'dev', 'prod'])
      expect((await bench.run('stack', 'rename', name)).exit, name).not.toBe(0)
    expect(bench.calls.filter(call => call.startsWith('rename'))).toEqual([])
  })
})
