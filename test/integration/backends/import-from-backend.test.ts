import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseCheckpoint } from '../../../shared/backends/checkpoint-file.ts'
import { openEmbeddedPlatform } from '../../../shared/platform/embedded/embedded-platform.ts'
import { type EpochMs, stackIdOf } from '../../../shared/records/ids.ts'
import { printStateBlob } from '../../../shared/state/print-envelope.ts'
import { type CommandBench, createCommandBench } from './command-bench.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/backends')
let bench: CommandBench
let folder: string
beforeEach(() => {
  bench = createCommandBench()
  folder = join(bench.root, 'state')
  cpSync(join(fixtures, 'project'), folder, { recursive: true })
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const stateFile = (stack: string): string => join(folder, '.pulumi/stacks/shop', stack)

describe('stack import --from', () => {
  test('copies one stack with its history, its configuration and its sealed secrets', async () => {
    const { exit, err } = await bench.run('stack', 'import', '--from', 'file://./state/shop/dev')
    expect([exit, err]).toEqual([0, expect.stringContaining('Imported 1 stack')])
    const history = JSON.parse((await bench.run('stack', 'history', '-s', 'dev', '-j')).out)
    expect(history).toMatchObject([
      { kind: 'import', result: 'succeeded', version: 2 },
      { kind: 'refresh', message: 'first "ok" <x>', result: 'succeeded', version: 1 },
    ])
    const exported = await bench.run('stack', 'export', '-s', 'dev')
    const { checkpoint } = JSON.parse(readFileSync(stateFile('dev.json'), 'utf8'))
    expect(JSON.parse(exported.out).deployment).toEqual(checkpoint.latest)
    expect((await bench.run('config', 'get', 'token', '-s', 'dev')).out).toBe('s3cr3t\n')
    const outputs = await bench.run('stack', 'output', '-s', 'dev', '--show-secrets', '-j')
    expect(JSON.parse(outputs.out)).toMatchObject({ tok: 's3cr3t <&>' })
  })

  test.each(['the start', 'the publication'])(
    'continues an import that was killed after %s of an entry',
    async killedAfter => {
      const id = stackIdOf('shop', 'dev')
      const historyFolder = join(folder, '.pulumi/history/shop/dev')
      const [name = ''] = readdirSync(historyFolder).filter(file => file.endsWith('.history.json'))
      const { startTime } = JSON.parse(readFileSync(join(historyFolder, name), 'utf8'))
      const stateName = name.replace('.history.', '.checkpoint.')
      const bytes = readFileSync(join(historyFolder, stateName))
      const home = bench.env['ANTICHAIN_HOME'] ?? ''
      await using platform = await openEmbeddedPlatform({ home })
      const { catalog, blobs } = platform
      await catalog.createStack(id, 1 as EpochMs)
      const at = (startTime * 1000) as EpochMs
      await catalog.start(id, { command: 'refresh', message: 'first "ok" <x>', at })
      if (killedAfter === 'the publication') {
        const state = await printStateBlob(parseCheckpoint(bytes, stateName))
        await catalog.publish(id, 0, await blobs.put(state))
      }
      const { exit, err } = await bench.run('stack', 'import', '--from', 'file://./state/shop/dev')
      expect([exit, err]).toEqual([0, expect.stringContaining('Imported 1 stack')])
      const history = JSON.parse((await bench.run('stack', 'history', '-s', 'dev', '-j')).out)
      expect(history).toMatchObject([
        { kind: 'import', result: 'succeeded', version: 2 },
        { kind: 'refresh', result: 'succeeded', version: 1 },
      ])
    },
  )

  test('copies all stacks after a confirmation, and skips those that exist', async () => {
    const from = ['stack', 'import', '--from', `file://${folder}`]
    expect(await bench.run(...from)).toMatchObject({ err: expect.stringContaining('--yes') })
    expect((await bench.run(...from, '--yes')).err).toContain('Imported 3 stacks')
    const { out } = await bench.run('stack', 'ls', '-j')
    expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual([
      ...['dev', 'empty', 'prod'],
    ])
    expect((await bench.run(...from, '--yes')).err).toContain(
      'Skipped organization/shop/dev, because it already exists here.',
    )
    const secondResult = await bench.run('stack', 'import', '--from', `file://${folder}/shop/dev`)
    expect(secondResult.err).toContain('STACK_EXISTS')
  })

  test('gives the stacks of a legacy backend the project of their resources', async () => {
    const from = `file://${join(fixtures, 'legacy')}`
    expect((await bench.run('stack', 'import', '--from', from, '--yes')).exit).toBe(0)
    const { out } = await bench.run('stack', 'export', '-s', 'shop/old')
    expect(out).toContain('urn:pulumi:old::shop::pulumi:pulumi:Stack::shop-old')
  })

  test('finds a stack of a legacy backend below a folder that is another backend', async () => {
    const outer = join(bench.root, 'outer')
    cpSync(join(fixtures, 'project'), outer, { recursive: true })
    cpSync(join(fixtures, 'legacy'), join(outer, 'shop'), { recursive: true })
    for (const [stack, project] of [
      ['old', 'shop'],
      ['dev', 'shop'],
    ]) {
      const imported = await bench.run('stack', 'import', '--from', `file://${outer}/shop/${stack}`)
      expect(imported.err).toContain('Imported 1 stack')
      expect((await bench.run('stack', 'export', '-s', `${project}/${stack}`)).exit).toBe(0)
    }
  })

  test.each([
    [
      'a lock',
      'BACKEND_LOCKED',
      () => {
        const locks = join(folder, '.pulumi/locks/organization/shop/dev')
        mkdirSync(locks, { recursive: true })
        const holder = { pid: 7, username: 'eve', hostname: 'h', timestamp: '2026-01-01T00:00:00Z' }
        writeFileSync(join(locks, 'a.json'), JSON.stringify(holder))
      },
    ],
    [
      'a truncated checkpoint',
      'BACKEND_INVALID',
      () => writeFileSync(stateFile('dev.json'), readFileSync(stateFile('dev.json')).subarray(9)),
    ],
    [
      'an unknown version',
      'STATE_TOO_NEW',
      () => writeFileSync(stateFile('dev.json'), '{"version":9,"checkpoint":{"stack":"dev"}}'),
    ],
    [
      'an unknown secrets manager',
      'SECRETS_MANAGER_UNSUPPORTED',
      () => {
        const text = readFileSync(stateFile('dev.json'), 'utf8')
        writeFileSync(stateFile('dev.json'), text.replace('"passphrase"', '"vaulted"'))
      },
    ],
    [
      'resources that belong to another stack',
      'STATE_FOREIGN',
      () => {
        const text = readFileSync(stateFile('dev.json'), 'utf8')
        writeFileSync(stateFile('dev.json'), text.replaceAll('pulumi:dev::', 'pulumi:qa::'))
      },
    ],
  ])('refuses a stack with %s, and changes nothing', async (_name, code, damage) => {
    damage()
    const { exit, err } = await bench.run('stack', 'import', '--from', `file://${folder}`, '--yes')
    expect([exit, err]).toEqual([expect.any(Number), expect.stringContaining(`error[${code}]`)])
    expect(exit).not.toBe(0)
    expect((await bench.run('stack', 'ls', '-a', '-j')).out).toBe('[]\n')
  })

  test('refuses addresses without a backend or stack', async () => {
    for (const [address, code] of [
      ['file://./nothing', 'BACKEND_MISSING'],
      [`file://${folder}/shop/none`, 'STACK_NOT_FOUND'],
      ['ftp://x', 'BACKEND_URL_INVALID'],
      ['s3://', 'BACKEND_URL_INVALID'],
    ] as const)
      expect((await bench.run('stack', 'import', '--from', address)).err).toContain(code)
  })
})
