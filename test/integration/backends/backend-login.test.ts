import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { saveBackend } from '../../../cli/backends/current-backend.ts'
import { writeLogin } from '../../../cli/remote/saved-login.ts'
import { pulumiFormatVersion } from '../../../shared/runtime/compaction/fold-and-publish.ts'
import { type CommandBench, createCommandBench } from './command-bench.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/backends')
let bench: CommandBench
let folder: string
beforeEach(async () => {
  bench = createCommandBench()
  folder = join(bench.root, 'state')
  cpSync(join(fixtures, 'project'), folder, { recursive: true })
  delete bench.env['PULUMI_BACKEND_URL']
  await run('login', 'file://./state')
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const run = async (...args: readonly string[]) => {
  const result = await bench.run(...args)
  expect([args, result.exit, result.err]).toEqual([args, 0, expect.any(String)])
  return result
}
const pathOf = (name: string): string => join(folder, '.pulumi', name)
const readStack = (name: string): string => readFileSync(pathOf(`stacks/shop/${name}`), 'utf8')
const listLocks = (): readonly string[] =>
  existsSync(pathOf('locks'))
    ? readdirSync(pathOf('locks'), { recursive: true, encoding: 'utf8' }).filter(name =>
        name.endsWith('.json'),
      )
    : []
const foreignLock = JSON.stringify({
  pid: 7,
  username: 'eve',
  hostname: 'laptop',
  timestamp: '2026-01-01T00:00:00Z',
})
const writeLock = (text = foreignLock): void => {
  const locks = pathOf('locks/organization/shop/dev')
  mkdirSync(locks, { recursive: true })
  writeFileSync(join(locks, 'a.json'), text)
}

test('a folder that does not exist is refused, unless the address creates it', async () => {
  const typo = await bench.run('login', 'file://./typo/state')
  expect([typo.exit, typo.err]).toEqual([1, expect.stringContaining('BACKEND_MISSING')])
  bench.env['PULUMI_BACKEND_URL'] = 'file://./typo/state'
  expect((await bench.run('stack', 'init', 'dev')).err).toContain('BACKEND_MISSING')
  expect(existsSync(join(bench.root, 'typo'))).toBe(false)
  bench.env['PULUMI_BACKEND_URL'] = 'nonsense'
  expect((await bench.run('stack', 'ls')).err).toContain('BACKEND_URL_INVALID')
  delete bench.env['PULUMI_BACKEND_URL']
  await run('login', 'file://./typo/state?create_dir=true')
  expect(existsSync(join(bench.root, 'typo/state/.pulumi/meta.yaml'))).toBe(true)
})

test('a login to a backend refuses the options of a login to an API', async () => {
  for (const [option = '', ...values] of [['--token', 'x'], ['--rule', 'r'], ['--oidc']]) {
    const { exit, err } = await bench.run('login', '--local', option, ...values)
    expect([exit, err]).toEqual([1, expect.stringContaining(`takes no ${option}`)])
  }
})

describe('login to a self-managed backend', () => {
  test('selects the backend by variable, project file and login, in this order', async () => {
    const readBackend = async () => JSON.parse((await run('whoami', '-j')).out)
    const login = { backend: `file://${folder}`, url: `file://${folder}`, source: 'login' }
    expect(await readBackend()).toMatchObject({ ...login, organizations: ['organization'] })
    const project = 'name: shop\nruntime: yaml\nbackend:\n  url: file://./other\n'
    writeFileSync(join(bench.root, 'Pulumi.yaml'), project)
    expect(await readBackend()).toMatchObject({ backend: 'file://./other', source: 'project' })
    bench.env['PULUMI_BACKEND_URL'] = 'file:///third'
    expect(await readBackend()).toMatchObject({
      backend: 'file:///third',
      source: 'PULUMI_BACKEND_URL',
    })
    bench.env['PULUMI_BACKEND_URL'] = 'https://api.example.com'
    expect(await readBackend()).toMatchObject({ source: 'project' })
  })

  test('logs out, and then uses the store of this machine again', async () => {
    for (const url of ['https://other.example', `file://${folder}/other`])
      expect((await run('logout', '--cloud-url', url)).err).toBe('Not logged in there.\n')
    expect((await run('logout', '--local')).err).toBe('Not logged in there.\n')
    for (const args of [
      ['-l', '-c', 'file://./state'],
      ['-c', 'app.example.com'],
      ['--all', 'https://other.example'],
      ['-c', 'https://other.example', 'https://other.example'],
    ])
      expect((await bench.run('logout', ...args)).err).toContain('CLI_USAGE')
    const { err } = await run('logout', 'file://./state/?metadata=skip')
    expect(err).toBe(`Logged out of file://${folder}.\n`)
    expect(JSON.parse((await run('stack', 'ls', '-a', '-j')).out)).toEqual([])
  })

  test('logs out of an address in any of its forms', async () => {
    const home = bench.env['ANTICHAIN_HOME'] ?? ''
    saveBackend(home, `file://${homedir()}`)
    expect((await run('logout', '--local')).err).toBe(`Logged out of file://${homedir()}.\n`)
    saveBackend(home, 's3://acme/state?region=eu-west-1')
    await run('logout', '-c', 's3://acme/state/')
    const url = 'https://api.example.com/v'
    for (const [form, isSame] of [
      ['https://api.example.com/', false],
      ['https://API.example.com:443/v/', true],
    ] as const) {
      writeLogin(home, { url, token: 't' })
      const { err } = await run('logout', '-c', form)
      expect(err).toBe(isSame ? `Logged out of ${url}.\n` : 'Not logged in there.\n')
      expect(existsSync(join(home, 'login.json'))).toBe(!isSame)
    }
  })

  test('refuses a backend whose metadata has an unknown version', async () => {
    writeFileSync(pathOf('meta.yaml'), 'version: 7\n')
    expect((await bench.run('stack', 'ls')).err).toContain('BACKEND_TOO_NEW')
    expect((await bench.run('login', 'file://./state')).err).toContain('BACKEND_TOO_NEW')
  })
})

describe('stacks of a self-managed backend', () => {
  test('have the state, the history and the configuration that Pulumi wrote', async () => {
    const { out } = await run('stack', 'ls', '-j')
    expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual([
      ...['dev', 'empty', 'prod'],
    ])
    const { checkpoint } = JSON.parse(readStack('dev.json'))
    const exported = JSON.parse((await run('stack', 'export', '-s', 'dev')).out)
    expect(exported.deployment).toEqual(checkpoint.latest)
    const early = await bench.run('stack', 'export', '-s', 'dev', '--at', '2026-01-01T00:00:00Z')
    expect(early.err).toMatch(/MOMENT_UNKNOWN.*records of this machine.*\.pulumi\/history/s)
    const history = JSON.parse((await run('stack', 'history', '-s', 'dev', '-j')).out)
    const config = {
      'shop:greeting': { value: 'hi <b> & ü', secret: false },
      'shop:list': { value: '[1]', secret: false },
      'shop:map': { secret: true },
      'shop:token': { secret: true },
    }
    const environment = { 'exec.kind': 'cli', 'pulumi.flag.message': 'set' }
    const message = 'first "ok" <x>'
    expect(history).toMatchObject([{ kind: 'refresh', message, environment }])
    expect(history[0].config).toEqual(config)
  })

  test('are created and removed in the layout of Pulumi', async () => {
    await run('stack', 'init', 'qa')
    const newStack = '{"version":0,"checkpoint":{"stack":"organization/shop/qa"}}'
    expect(readStack('qa.json.bak')).toBe(newStack)
    const stackFile = readFileSync(join(bench.root, 'Pulumi.qa.yaml'), 'utf8')
    const [, salt = ''] = /^encryptionsalt: (.*)$/m.exec(stackFile) ?? []
    const time = '2026-01-01T00:00:00.000Z'
    const version = pulumiFormatVersion
    const magic = createHash('sha256').update(version).digest('hex')
    // Pulumi's client 3.274.1 writes this text, with its own version, time and salt.
    expect(readStack('qa.json').replace(/(?<="time":")[^"]*/, time)).toBe(
      `{"version":3,"checkpoint":{"stack":"organization/shop/qa","latest":{"manifest":{"time":"${time}","magic":"${magic}","version":"${version}"},"secrets_providers":{"type":"passphrase","state":{"salt":"${salt}"}},"metadata":{}}}}`,
    )
    expect(JSON.parse((await run('stack', 'history', '-s', 'qa', '-j')).out)).toEqual([])
    expect((await bench.run('stack', 'init', 'dev')).err).toContain('STACK_EXISTS')
    await run('stack', 'rm', 'qa', '--yes')
    expect(readdirSync(pathOf('stacks/shop')).filter(name => !name.endsWith('.attrs'))).toEqual([
      ...['dev.json', 'empty.json.zst', 'prod.json.gz', 'qa.json.bak'],
    ])
    expect(listLocks()).toEqual([])
  })

  test('are renamed with their history', async () => {
    await run('stack', 'rename', 'qa', '-s', 'dev')
    expect(existsSync(pathOf('stacks/shop/dev.json'))).toBe(false)
    expect(readStack('qa.json')).toContain('urn:pulumi:qa::shop::pulumi:pulumi:Stack::shop-qa')
    expect(readdirSync(pathOf('history/shop/qa')).filter(name => !name.endsWith('.attrs'))).toEqual(
      ['qa-1795648360255059573.checkpoint.json', 'qa-1795648360255059573.history.json'],
    )
    const history = JSON.parse((await run('stack', 'history', '-s', 'qa', '-j')).out)
    expect(history).toMatchObject([{ kind: 'rename' }, { kind: 'refresh' }])
    expect((await run('stack', 'ls')).out).not.toContain('dev')
    expect((await bench.run('stack', 'rename', 'prod', '-s', 'qa')).err).toContain('STACK_EXISTS')
    expect(listLocks()).toEqual([])
  })

  test('have the tags of Pulumi, also after a rename', async () => {
    const written = '{"version":1,"tags":{"owner":"me"}}'
    writeFileSync(pathOf('stacks/shop/dev.pulumi-tags'), written)
    expect((await run('stack', 'tag', 'get', 'owner', '-s', 'dev')).out).toBe('me\n')
    await run('stack', 'tag', 'set', '__proto__', '1', '-s', 'dev')
    await run('stack', 'tag', 'set', 'area', '<a> & b', '-s', 'dev')
    const withProto = '{"version":1,"tags":{"__proto__":"1","area":"<a> & b","owner":"me"}}'
    expect(readStack('dev.pulumi-tags')).toBe(withProto)
    await run('stack', 'tag', 'rm', '__proto__', '-s', 'dev')
    const tags = '{"version":1,"tags":{"area":"<a> & b","owner":"me"}}'
    expect(readStack('dev.pulumi-tags')).toBe(tags)
    await run('stack', 'rename', 'qa', '-s', 'dev')
    expect(existsSync(pathOf('stacks/shop/dev.pulumi-tags'))).toBe(false)
    expect(readStack('qa.pulumi-tags')).toBe(tags)
    await run('stack', 'tag', 'rm', 'area', '-s', 'qa')
    expect(readStack('qa.pulumi-tags')).toBe(written)
    await run('stack', 'tag', 'rm', 'owner', '-s', 'qa')
    expect(existsSync(pathOf('stacks/shop/qa.pulumi-tags'))).toBe(false)
    writeFileSync(pathOf('stacks/shop/qa.pulumi-tags'), '{"version":2,"tags":{}}')
    expect((await bench.run('stack', 'tag', 'ls', '-s', 'qa')).err).toContain('BACKEND_TOO_NEW')
    await run('stack', 'rm', 'qa', '--yes', '--force')
    expect(existsSync(pathOf('stacks/shop/qa.pulumi-tags'))).toBe(false)
  })

  test('an edit of the state replaces the checkpoint, and keeps the previous one', async () => {
    const before = readStack('dev.json')
    const urn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
    await run('state', 'protect', urn, '-s', 'dev', '--yes')
    expect(readStack('dev.json.bak')).toBe(before)
    expect(readStack('dev.json')).toContain('"protect":true')
    const { latest } = JSON.parse(before).checkpoint
    expect(JSON.parse(readStack('dev.json')).checkpoint.latest.secrets_providers).toEqual(
      latest.secrets_providers,
    )
    expect(listLocks()).toEqual([])
  })

  test('changes by another client are seen by the next command', async () => {
    await run('stack', 'export', '-s', 'dev')
    const changed = readStack('dev.json').replace('"9":2', '"9":3')
    writeFileSync(pathOf('stacks/shop/dev.json'), changed)
    expect((await run('stack', 'export', '-s', 'dev')).out).toContain('"9": 3')
    rmSync(pathOf('stacks/shop/dev.json'))
    expect((await bench.run('stack', 'export', '-s', 'dev')).err).toContain('STACK_NOT_FOUND')
  })

  test('a stack that another machine created again has no state of the removed one', async () => {
    const before = JSON.parse((await run('stack', 'export', '-s', 'dev')).out)
    expect(before.deployment.resources.length).toBeGreaterThan(0)
    const newStack = '{"version":0,"checkpoint":{"stack":"organization/shop/dev"}}'
    writeFileSync(pathOf('stacks/shop/dev.json'), newStack)
    const { deployment } = JSON.parse((await run('stack', 'export', '-s', 'dev')).out)
    expect(deployment.resources).toBeUndefined()
    await run('stack', 'rename', 'qa', '-s', 'dev')
    expect(readStack('qa.json')).not.toContain('"resources"')
  })

  test('a foreign lock stops changes, names its holder, and yields to cancel', async () => {
    writeLock()
    const urn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
    const before = readStack('dev.json')
    const edit = ['state', 'protect', urn, '-s', 'dev', '--yes']
    const { err } = await bench.run(...edit)
    expect(err).toMatch(/BACKEND_LOCKED.*eve@laptop \(process 7\) since 2026-01-01T00:00:00Z/)
    expect(readStack('dev.json')).toBe(before)
    expect(listLocks()).toHaveLength(1)
    expect((await run('cancel', '-s', 'dev', '--yes')).err).toContain("Removed 1 lock of 'dev'")
    await run(...edit)
  })

  test.each(['', '{"pid":7}'])(
    'the unreadable lock %j stops changes, and yields to cancel',
    async text => {
      writeLock(text)
      const urn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
      const edit = ['state', 'protect', urn, '-s', 'dev', '--yes']
      expect((await bench.run(...edit)).err).toMatch(
        /a\.json of the backend is not a lock.*cancel/s,
      )
      expect((await run('cancel', '-s', 'dev', '--yes')).err).toContain("Removed 1 lock of 'dev'")
      await run(...edit)
    },
  )

  test('a checkpoint with resources of another stack is reported before its deployment', async () => {
    const file = pathOf('stacks/shop/dev.json')
    writeFileSync(file, readStack('dev.json').replaceAll('urn:pulumi:dev::', 'urn:pulumi:zzz::'))
    const preview = await bench.run('destroy', '--preview-only', '-s', 'dev')
    expect(preview.out + preview.err).toMatch(
      /warning: the state has resources that belong to another stack.*urn:pulumi:zzz::shop::/,
    )
  })

  test('a damaged checkpoint is one error, and hides no other stack', async () => {
    writeFileSync(pathOf('stacks/shop/dev.json'), readStack('dev.json').slice(0, 100))
    expect((await bench.run('stack', 'export', '-s', 'dev')).err).toContain('BACKEND_INVALID')
    const { exit, out } = await bench.run('stack', 'ls')
    expect([exit, out]).toEqual([1, expect.stringContaining('prod')])
  })
})
