import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StackId } from '../../../shared/records/ids.ts'
import type { StoredDeployment, StoredResource } from '../../../shared/state/stored.ts'
import { type CliBench, createCliBench } from './cli-bench.ts'

const dev = 'organization/site/dev' as StackId
const prod = 'organization/site/prod' as StackId
const toUrn = (name: string, stack = 'dev'): string => `urn:pulumi:${stack}::site::a:b:C::${name}`

let bench: CliBench

const createThing = (name: string, more: object = {}): StoredResource => ({
  urn: toUrn(name),
  custom: true,
  id: name,
  type: 'a:b:C',
  ...more,
})

const stateOf = (salt: string, ...resources: readonly StoredResource[]): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  secrets_providers: { type: 'passphrase', state: { salt } },
  resources,
  metadata: {},
})

const listUrns = (stack: StackId): readonly string[] =>
  (bench.states.get(stack)?.resources ?? []).map(resource => resource.urn)

beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'prod')
  await bench.run('stack', 'init', 'dev')
  const b = createThing('b', { protect: true, dependencies: [toUrn('a')] })
  bench.states.set(dev, stateOf('one', createThing('a'), b, createThing('c')))
})

describe('state commands', () => {
  test('delete refuses needed, protected and unknown resources, and with --force deletes protected ones', async () => {
    for (const [args, code] of [
      [[toUrn('a')], 'STATE_RESOURCE_NEEDED'],
      [[toUrn('b')], 'STATE_RESOURCE_PROTECTED'],
      [[toUrn('a'), '--target-dependents'], 'STATE_RESOURCE_PROTECTED'],
      [[toUrn('z')], 'STATE_RESOURCE_UNKNOWN'],
      [['z'], 'CLI_USAGE'],
      [[toUrn('c'), '--all'], 'CLI_USAGE'],
      [[], 'CLI_USAGE'],
    ] as const) {
      const { exit, err } = await bench.run('state', 'delete', ...args)
      expect([exit > 0, err.split(':')[0]], args.join(' ')).toEqual([true, `error[${code}]`])
      expect(listUrns(dev)).toHaveLength(3)
    }
    const args = [toUrn('a'), '--target-dependents', '--force']
    const { exit, err } = await bench.run('state', 'delete', ...args)
    expect([exit, err]).toEqual([0, expect.stringContaining('Resource deleted')])
    expect(err).toContain(`deleting protected resource ${toUrn('b')}`)
    expect(listUrns(dev)).toEqual([toUrn('c')])
    expect((await bench.run('state', 'rm', '--all')).exit).toBe(0)
    expect(listUrns(dev)).toEqual([])
  })

  test('the flags protect and taint are set and removed, for one resource and for all', async () => {
    const readFlags = (name: string) =>
      bench.states.get(dev)?.resources?.map(resource => resource[name] === true)
    await bench.run('state', 'protect', toUrn('a'), '-y')
    expect(readFlags('protect')).toEqual([true, true, false])
    await bench.run('state', 'unprotect', '--all', '-y')
    expect(readFlags('protect')).toEqual([false, false, false])
    await bench.run('state', 'taint', toUrn('a'), toUrn('c'), '-y')
    expect(readFlags('taint')).toEqual([true, false, true])
    await bench.run('state', 'untaint', toUrn('a'), '-y')
    expect(readFlags('taint')).toEqual([false, false, true])
    expect((await bench.run('state', 'taint', '--all')).exit).toBe(1)
    const { err } = await bench.run('state', 'taint', toUrn('x'), toUrn('y'))
    expect(err).toContain('STATE_RESOURCE_UNKNOWN')
    expect(readFlags('taint')).toEqual([false, false, true])
  })

  test('at a terminal, edits prompt for a resource and a confirmation, and the answer no changes nothing', async () => {
    bench.isTerminal = true
    bench.answers.push('n')
    expect((await bench.run('state', 'taint', toUrn('a'))).err).toContain('CONFIRMATION_DECLINED')
    bench.answers.push('3', 'y')
    expect((await bench.run('state', 'delete')).exit).toBe(0)
    expect(listUrns(dev)).toEqual([toUrn('a'), toUrn('b')])
    bench.answers.push('1', 'new', 'yes')
    expect((await bench.run('state', 'rename')).exit).toBe(0)
    expect(listUrns(dev)).toEqual([toUrn('new'), toUrn('b')])
  })

  test('rename without a terminal requires a URN and a name, and changes references to the resource too', async () => {
    expect((await bench.run('state', 'rename', toUrn('a'))).exit).toBe(1)
    expect((await bench.run('state', 'rename', 'a', 'z')).exit).toBe(1)
    expect((await bench.run('state', 'rename', toUrn('a'), 'c')).err).toContain('RESOURCE_EXISTS')
    expect((await bench.run('state', 'rename', toUrn('a'), 'z')).exit).toBe(0)
    expect(bench.states.get(dev)?.resources?.[1]).toMatchObject({ dependencies: [toUrn('z')] })
  })

  test('repair does not change a valid state, and prompts before it writes', async () => {
    expect((await bench.run('state', 'repair')).err).toContain('already valid')
    bench.states.set(
      dev,
      stateOf('one', createThing('b', { dependencies: [toUrn('a')] }), createThing('a')),
    )
    expect((await bench.run('state', 'repair')).exit).toBe(1)
    expect(listUrns(dev)).toEqual([toUrn('b'), toUrn('a')])
    expect((await bench.run('state', 'repair', '-y')).exit).toBe(0)
    expect(listUrns(dev)).toEqual([toUrn('a'), toUrn('b')])
  })
})

describe('shown states', () => {
  test('get shows one resource by URN or name, and lists the URNs of an ambiguous name', async () => {
    const { out } = await bench.run('state', 'get', toUrn('a'), '--json')
    expect(JSON.parse(out)).toEqual({
      id: 'a',
      inputs: {},
      outputs: {},
      type: 'a:b:C',
      urn: toUrn('a'),
    })
    expect((await bench.run('state', 'get', 'b')).out).toContain(`URN:  ${toUrn('b')}`)
    expect((await bench.run('state', 'get', 'z')).err).toContain('STATE_RESOURCE_UNKNOWN')
    const other = { ...createThing('a'), urn: toUrn('a').replace('C::', 'D::') }
    bench.states.set(dev, stateOf('one', createThing('a'), other))
    const { err } = await bench.run('state', 'get', 'a')
    expect(err).toContain('STATE_URN_AMBIGUOUS')
    expect(err).toContain(other.urn)
  })

  test('the stack is shown with URNs and ids on request', async () => {
    const { out } = await bench.run('stack', '--show-urns', '-i')
    expect(out).toContain(`        URN: ${toUrn('a')}\n        ID: a\n`)
    expect((await bench.run('stack')).out).not.toContain(toUrn('a'))
    expect((await bench.run('stack', 'get', '-u')).out).toContain(`URN: ${toUrn('c')}`)
  })

  test('a group without a command prints its help', async () => {
    const { exit, out, err } = await bench.run('state')
    expect([exit, out, err]).toEqual([0, expect.stringContaining('Commands:'), ''])
  })
})

describe('state move', () => {
  const signatureKey = '4dabf18193072939515e22adb298388d'
  const createSecret = (ciphertext: string) => ({
    [signatureKey]: '1b47061264138c4ac30d75fd1eb44270',
    ciphertext,
  })

  test('seals secrets again for the other stack', async () => {
    bench.states.set(
      dev,
      stateOf('one', createThing('a', { inputs: { p: createSecret('one(pass:"x")') } })),
    )
    bench.states.set(prod, stateOf('two'))
    const { exit, err } = await bench.run('state', 'move', '--dest', 'prod', '-y', toUrn('a'))
    expect([exit, err]).toEqual([0, expect.stringContaining('Successfully moved')])
    expect(listUrns(dev)).toEqual([])
    expect(bench.states.get(prod)?.resources?.[1]).toMatchObject({
      urn: toUrn('a', 'prod'),
      inputs: { p: createSecret('two(pass:"x")') },
    })
  })

  test('refuses invalid moves without moving anything', async () => {
    bench.states.set(prod, stateOf('two', { ...createThing('c'), urn: toUrn('c', 'prod') }))
    for (const args of [
      [toUrn('a')],
      ['--dest', 'dev', toUrn('a')],
      ['--dest', 'nowhere', toUrn('a')],
      ['--dest', 'prod', toUrn('z')],
      ['--dest', 'prod', '-y', toUrn('c')],
      ['--dest', 'prod', toUrn('a')],
    ]) {
      const { exit, err } = await bench.run('state', 'move', ...args)
      expect(exit, args.join(' ')).not.toBe(0)
      expect(err.match(/^error\[/gm)).toHaveLength(1)
    }
    expect(listUrns(dev)).toHaveLength(3)
    expect(listUrns(prod)).toHaveLength(1)
  })

  test('reports a failed write of the source, also when the destination cannot be restored', async () => {
    // Only the first write, to the destination, succeeds. It also makes the source busy.
    const setState = bench.states.set.bind(bench.states)
    bench.states.set = (stack, state) => {
      if (bench.busyStacks.has(dev)) throw new Error('the disk is full')
      bench.busyStacks.add(dev)
      return setState(stack, state)
    }
    const { exit, err } = await bench.run('state', 'move', '--dest', 'prod', '-y', toUrn('c'))
    expect(exit).not.toBe(0)
    expect(err).toContain('error[STACK_BUSY]: the stack is held by ann')
    expect(err).toContain(`the moved resources are in ${prod}, and maybe also in ${dev}`)
    expect(err).toContain('the disk is full')
    expect([listUrns(dev).length, listUrns(prod).length]).toEqual([3, 2])
  })

  test('succeeds if the reply to the write of the source is lost', async () => {
    const setState = bench.states.set.bind(bench.states)
    bench.states.set = (stack, state) => {
      setState(stack, state)
      if (stack === dev) throw new Error('the connection was closed')
      return bench.states
    }
    const { exit, err } = await bench.run('state', 'move', '--dest', 'prod', '-y', toUrn('c'))
    expect([exit, err]).toEqual([0, expect.stringContaining('Successfully moved')])
    expect(listUrns(dev)).toEqual([toUrn('a'), toUrn('b')])
    expect(listUrns(prod)).toContain(toUrn('c', 'prod'))
  })

  test('keeps the resources in the destination if the source has lost them meanwhile', async () => {
    const setState = bench.states.set.bind(bench.states)
    bench.states.set = (stack, state) => {
      if (stack === prod) return setState(stack, state)
      setState(stack, stateOf('one', createThing('a')))
      throw new Error('the connection was closed')
    }
    const { exit, err } = await bench.run('state', 'move', '--dest', 'prod', '-y', toUrn('c'))
    expect(exit).not.toBe(0)
    expect(err).toContain(`${dev} no longer has the resource ${toUrn('c')}`)
    expect(listUrns(prod)).toContain(toUrn('c', 'prod'))
  })

  test('reports removed references', async () => {
    const { err } = await bench.run('state', 'move', '--dest', 'prod', '-y', toUrn('b'), toUrn('z'))
    expect(err).toContain(`${toUrn('z')} was not found`)
    expect(err).toContain(`- ${toUrn('b')} (dependency) on ${toUrn('a')}`)
    expect(bench.states.get(prod)?.resources?.at(-1)).not.toHaveProperty('dependencies')
  })
})

describe('stack rename', () => {
  test('moves the configuration file and selects the stack', async () => {
    const { exit, out } = await bench.run('stack', 'rename', 'test')
    expect([exit, out, bench.calls]).toEqual([
      0,
      'Renamed dev to test\n',
      expect.arrayContaining([`rename ${dev} organization/site/test`]),
    ])
    expect(existsSync(join(bench.root, 'Pulumi.dev.yaml'))).toBe(false)
    expect(existsSync(join(bench.root, 'Pulumi.test.yaml'))).toBe(true)
  })

  test('names both projects after a move to another project', async () => {
    expect((await bench.run('stack', 'rename', 'organization/mall/dev')).out).toContain(
      `Renamed ${dev} to organization/mall/dev`,
    )
  })

  test('warns of a data key with the old id if the command runs outside of the project folder', async () => {
    const url = `awskms://alias/k?context_antichain-stack=${dev}`
    const testStack = 'organization/site/test' as StackId
    const secrets = { type: 'cloud', state: { url, encryptedkey: 'bmV3' } }
    bench.states.set(testStack, { ...stateOf('one'), secrets_providers: secrets })
    bench.write('Pulumi.yaml', 'name: other\nruntime: nodejs\n')
    const { exit, err } = await bench.run('stack', 'rename', 'test', '--stack', dev)
    expect([exit, err]).toEqual([0, expect.stringContaining(`of ${testStack} still names ${dev}`)])
    expect(err).toContain(`stack change-secrets-provider '${url}'`)
    expect(bench.calls.filter(call => call.startsWith('new data key'))).toEqual([])
  })

  test("refuses an invalid name, the stack's current name, and a name whose configuration file exists", async () => {
    for (const name of ['a b', 'dev', 'prod'])
      expect((await bench.run('stack', 'rename', name)).exit, name).not.toBe(0)
    expect(bench.calls.filter(call => call.startsWith('rename'))).toEqual([])
  })
})
